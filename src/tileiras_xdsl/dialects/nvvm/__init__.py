"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

| file | has |
| --- | --- |
| `registers` | special registers |
| `barriers` | barriers of threads, barriers in shared memory, fences |
| `copies` | asynchronous copies of elements, bytes and boxes of tensors |
| `matrix` | products of matrices, loads and stores of them |
| `warp` | what lanes of a warp do together |
| `math` | approximations, rounded and packed arithmetic |

A fragment of a matrix, or of a tile, is one vector for each thread; the translation to LLVM IR
takes it apart.
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from .barriers import (
    Barrier0Op as Barrier0Op,
)
from .barriers import (
    BarrierArriveOp as BarrierArriveOp,
)
from .barriers import (
    BarrierOp as BarrierOp,
)
from .barriers import (
    BarSyncAlignedOp as BarSyncAlignedOp,
)
from .barriers import (
    BarWarpSyncOp as BarWarpSyncOp,
)
from .barriers import (
    ClusterArriveOp as ClusterArriveOp,
)
from .barriers import (
    ClusterArriveRelaxedOp as ClusterArriveRelaxedOp,
)
from .barriers import (
    ClusterWaitOp as ClusterWaitOp,
)
from .barriers import (
    FenceAcqRelOp as FenceAcqRelOp,
)
from .barriers import (
    FenceMBarrierInitOp as FenceMBarrierInitOp,
)
from .barriers import (
    FenceProxyAcquireOp as FenceProxyAcquireOp,
)
from .barriers import (
    FenceProxyAcquireSyncOp as FenceProxyAcquireSyncOp,
)
from .barriers import (
    FenceProxyOp as FenceProxyOp,
)
from .barriers import (
    FenceProxyReleaseOp as FenceProxyReleaseOp,
)
from .barriers import (
    FenceScOp as FenceScOp,
)
from .barriers import (
    MBarrierArriveClusterOp as MBarrierArriveClusterOp,
)
from .barriers import (
    MBarrierArriveExpectTxClusterOp as MBarrierArriveExpectTxClusterOp,
)
from .barriers import (
    MBarrierArriveExpectTxSharedOp as MBarrierArriveExpectTxSharedOp,
)
from .barriers import (
    MBarrierArriveNocompleteSharedOp as MBarrierArriveNocompleteSharedOp,
)
from .barriers import (
    MBarrierArriveSharedOp as MBarrierArriveSharedOp,
)
from .barriers import (
    MBarrierExpectTxSharedOp as MBarrierExpectTxSharedOp,
)
from .barriers import (
    MBarrierInitSharedOp as MBarrierInitSharedOp,
)
from .barriers import (
    MBarrierInvalSharedOp as MBarrierInvalSharedOp,
)
from .barriers import (
    MBarrierTestWaitParitySharedOp as MBarrierTestWaitParitySharedOp,
)
from .barriers import (
    MBarrierTestWaitSharedOp as MBarrierTestWaitSharedOp,
)
from .barriers import (
    MBarrierTryWaitParitySharedOp as MBarrierTryWaitParitySharedOp,
)
from .barriers import (
    TensorMapCpFenceProxyOp as TensorMapCpFenceProxyOp,
)
from .base import (
    ATTRIBUTES as ATTRIBUTES,
)
from .base import (
    CLUSTER_POINTER as CLUSTER_POINTER,
)
from .base import (
    CLUSTER_SPACE as CLUSTER_SPACE,
)
from .base import (
    CONSTANT_SPACE as CONSTANT_SPACE,
)
from .base import (
    GENERIC_SPACE as GENERIC_SPACE,
)
from .base import (
    GLOBAL_POINTER as GLOBAL_POINTER,
)
from .base import (
    GLOBAL_SPACE as GLOBAL_SPACE,
)
from .base import (
    PARAMETER_SPACE as PARAMETER_SPACE,
)
from .base import (
    SHARED_POINTER as SHARED_POINTER,
)
from .base import (
    SHARED_SPACE as SHARED_SPACE,
)
from .base import (
    BarrierReduction as BarrierReduction,
)
from .base import (
    BarrierReductionAttr as BarrierReductionAttr,
)
from .base import (
    CacheModifier as CacheModifier,
)
from .base import (
    CacheModifierAttr as CacheModifierAttr,
)
from .base import (
    ClusterPointer as ClusterPointer,
)
from .base import (
    FloatLike as FloatLike,
)
from .base import (
    Fragment as Fragment,
)
from .base import (
    GlobalPointer as GlobalPointer,
)
from .base import (
    LoadMode as LoadMode,
)
from .base import (
    LoadModeAttr as LoadModeAttr,
)
from .base import (
    MatchKind as MatchKind,
)
from .base import (
    MatchKindAttr as MatchKindAttr,
)
from .base import (
    MatrixLayout as MatrixLayout,
)
from .base import (
    MatrixLayoutAttr as MatrixLayoutAttr,
)
from .base import (
    MatrixShapeAttr as MatrixShapeAttr,
)
from .base import (
    MatrixType as MatrixType,
)
from .base import (
    MatrixTypeAttr as MatrixTypeAttr,
)
from .base import (
    MemScope as MemScope,
)
from .base import (
    MemScopeAttr as MemScopeAttr,
)
from .base import (
    NvvmOperation as NvvmOperation,
)
from .base import (
    OrderedOperation as OrderedOperation,
)
from .base import (
    PlainOperation as PlainOperation,
)
from .base import (
    PointerTo as PointerTo,
)
from .base import (
    ProxyKind as ProxyKind,
)
from .base import (
    ProxyKindAttr as ProxyKindAttr,
)
from .base import (
    ReductionKind as ReductionKind,
)
from .base import (
    ReductionKindAttr as ReductionKindAttr,
)
from .base import (
    ReduxKind as ReduxKind,
)
from .base import (
    ReduxKindAttr as ReduxKindAttr,
)
from .base import (
    RegisterAction as RegisterAction,
)
from .base import (
    RegisterActionAttr as RegisterActionAttr,
)
from .base import (
    Registers as Registers,
)
from .base import (
    RoundingMode as RoundingMode,
)
from .base import (
    RoundingModeAttr as RoundingModeAttr,
)
from .base import (
    SharedPointer as SharedPointer,
)
from .base import (
    SharedSpace as SharedSpace,
)
from .base import (
    SharedSpaceAttr as SharedSpaceAttr,
)
from .base import (
    ShuffleKind as ShuffleKind,
)
from .base import (
    ShuffleKindAttr as ShuffleKindAttr,
)
from .base import (
    TensorMap as TensorMap,
)
from .base import (
    VoteKind as VoteKind,
)
from .base import (
    VoteKindAttr as VoteKindAttr,
)
from .base import (
    pointer_to as pointer_to,
)
from .base import unit as unit
from .copies import (
    BULK_TENSOR_LOADS as BULK_TENSOR_LOADS,
)
from .copies import (
    BULK_TENSOR_STORES as BULK_TENSOR_STORES,
)
from .copies import (
    BulkLoadOp as BulkLoadOp,
)
from .copies import (
    BulkStoreOp as BulkStoreOp,
)
from .copies import (
    BulkTensorLoadOp as BulkTensorLoadOp,
)
from .copies import (
    BulkTensorPrefetchOp as BulkTensorPrefetchOp,
)
from .copies import (
    BulkTensorReduceOp as BulkTensorReduceOp,
)
from .copies import (
    BulkTensorStoreOp as BulkTensorStoreOp,
)
from .copies import (
    CpAsyncBulkCommitGroupOp as CpAsyncBulkCommitGroupOp,
)
from .copies import (
    CpAsyncBulkWaitGroupOp as CpAsyncBulkWaitGroupOp,
)
from .copies import (
    CpAsyncCommitGroupOp as CpAsyncCommitGroupOp,
)
from .copies import (
    CpAsyncMBarrierArriveSharedOp as CpAsyncMBarrierArriveSharedOp,
)
from .copies import (
    CpAsyncSharedGlobalOp as CpAsyncSharedGlobalOp,
)
from .copies import (
    CpAsyncWaitAllOp as CpAsyncWaitAllOp,
)
from .copies import (
    CpAsyncWaitGroupOp as CpAsyncWaitGroupOp,
)
from .copies import (
    PrefetchTensorMapOp as PrefetchTensorMapOp,
)
from .math import (
    F32X2 as F32X2,
)
from .math import (
    AddOp as AddOp,
)
from .math import (
    BinaryApproxOp as BinaryApproxOp,
)
from .math import (
    BinaryRoundedOp as BinaryRoundedOp,
)
from .math import (
    ConvertFloatToTF32Op as ConvertFloatToTF32Op,
)
from .math import (
    CosApproxOp as CosApproxOp,
)
from .math import (
    CvtFpextX2Op as CvtFpextX2Op,
)
from .math import (
    CvtFptruncX2Op as CvtFptruncX2Op,
)
from .math import (
    DivApproxOp as DivApproxOp,
)
from .math import (
    DivFullOp as DivFullOp,
)
from .math import (
    DivOp as DivOp,
)
from .math import (
    Ex2ApproxOp as Ex2ApproxOp,
)
from .math import (
    FmaOp as FmaOp,
)
from .math import (
    FmaPackedF32x2Op as FmaPackedF32x2Op,
)
from .math import (
    Lg2ApproxOp as Lg2ApproxOp,
)
from .math import (
    MulOp as MulOp,
)
from .math import (
    MulPackedF32x2Op as MulPackedF32x2Op,
)
from .math import (
    RcpApproxFtzOp as RcpApproxFtzOp,
)
from .math import (
    RcpOp as RcpOp,
)
from .math import (
    RsqrtApproxOp as RsqrtApproxOp,
)
from .math import (
    SinApproxOp as SinApproxOp,
)
from .math import (
    SqrtApproxOp as SqrtApproxOp,
)
from .math import (
    SqrtOp as SqrtOp,
)
from .math import (
    SubOp as SubOp,
)
from .math import (
    TanhApproxOp as TanhApproxOp,
)
from .math import (
    UnaryApproxOp as UnaryApproxOp,
)
from .math import (
    UnaryRoundedOp as UnaryRoundedOp,
)
from .math import (
    verify_packed_conversion as verify_packed_conversion,
)
from .matrix import (
    LdMatrixOp as LdMatrixOp,
)
from .matrix import (
    MmaSyncOp as MmaSyncOp,
)
from .matrix import (
    SetMaxRegisterOp as SetMaxRegisterOp,
)
from .matrix import (
    StMatrixOp as StMatrixOp,
)
from .matrix import (
    WgmmaCommitGroupOp as WgmmaCommitGroupOp,
)
from .matrix import (
    WgmmaFenceAlignedOp as WgmmaFenceAlignedOp,
)
from .matrix import (
    WgmmaMmaAsyncOp as WgmmaMmaAsyncOp,
)
from .matrix import (
    WgmmaWaitGroupOp as WgmmaWaitGroupOp,
)
from .matrix import (
    verify_matrix_count as verify_matrix_count,
)
from .matrix import (
    verify_types as verify_types,
)
from .matrix import (
    verify_wgmma as verify_wgmma,
)
from .registers import (
    SPECIAL_REGISTERS as SPECIAL_REGISTERS,
)
from .registers import (
    SpecialRegisterOp as SpecialRegisterOp,
)
from .registers import (
    read_register as read_register,
)
from .warp import (
    ActiveMaskOp as ActiveMaskOp,
)
from .warp import (
    ElectSyncOp as ElectSyncOp,
)
from .warp import (
    GriddepcontrolLaunchDependentsOp as GriddepcontrolLaunchDependentsOp,
)
from .warp import (
    GriddepcontrolWaitOp as GriddepcontrolWaitOp,
)
from .warp import (
    MapaOp as MapaOp,
)
from .warp import (
    MatchSyncOp as MatchSyncOp,
)
from .warp import (
    NanosleepOp as NanosleepOp,
)
from .warp import (
    PrmtOp as PrmtOp,
)
from .warp import (
    ReduxOp as ReduxOp,
)
from .warp import (
    ShflOp as ShflOp,
)
from .warp import (
    VoteSyncOp as VoteSyncOp,
)

OPERATIONS: tuple[type[IRDLOperation], ...] = (
    # registers
    *SPECIAL_REGISTERS.values(),
    # barriers
    BarSyncAlignedOp,
    Barrier0Op,
    BarrierOp,
    BarrierArriveOp,
    BarWarpSyncOp,
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
    MBarrierInitSharedOp,
    MBarrierInvalSharedOp,
    MBarrierArriveSharedOp,
    MBarrierArriveNocompleteSharedOp,
    MBarrierArriveExpectTxSharedOp,
    MBarrierExpectTxSharedOp,
    MBarrierArriveClusterOp,
    MBarrierArriveExpectTxClusterOp,
    MBarrierTestWaitSharedOp,
    MBarrierTestWaitParitySharedOp,
    MBarrierTryWaitParitySharedOp,
    FenceMBarrierInitOp,
    FenceAcqRelOp,
    FenceScOp,
    FenceProxyOp,
    FenceProxyAcquireOp,
    FenceProxyReleaseOp,
    FenceProxyAcquireSyncOp,
    TensorMapCpFenceProxyOp,
    # copies
    CpAsyncSharedGlobalOp,
    CpAsyncCommitGroupOp,
    CpAsyncWaitGroupOp,
    CpAsyncWaitAllOp,
    CpAsyncMBarrierArriveSharedOp,
    BulkTensorReduceOp,
    BulkTensorPrefetchOp,
    BulkLoadOp,
    BulkStoreOp,
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkWaitGroupOp,
    PrefetchTensorMapOp,
    *BULK_TENSOR_LOADS.values(),
    *BULK_TENSOR_STORES.values(),
    # matrix
    WgmmaFenceAlignedOp,
    WgmmaMmaAsyncOp,
    WgmmaCommitGroupOp,
    WgmmaWaitGroupOp,
    SetMaxRegisterOp,
    MmaSyncOp,
    LdMatrixOp,
    StMatrixOp,
    # warp
    ShflOp,
    VoteSyncOp,
    ReduxOp,
    MatchSyncOp,
    ElectSyncOp,
    ActiveMaskOp,
    MapaOp,
    PrmtOp,
    NanosleepOp,
    GriddepcontrolWaitOp,
    GriddepcontrolLaunchDependentsOp,
    # math
    RcpApproxFtzOp,
    FmaOp,
    CvtFptruncX2Op,
    CvtFpextX2Op,
    ConvertFloatToTF32Op,
    FmaPackedF32x2Op,
    MulPackedF32x2Op,
    Ex2ApproxOp,
    Lg2ApproxOp,
    RsqrtApproxOp,
    SqrtApproxOp,
    SinApproxOp,
    CosApproxOp,
    TanhApproxOp,
    DivApproxOp,
    DivFullOp,
    SqrtOp,
    RcpOp,
    AddOp,
    SubOp,
    MulOp,
    DivOp,
)

Nvvm = Dialect("nvvm", [*OPERATIONS], [*ATTRIBUTES])
