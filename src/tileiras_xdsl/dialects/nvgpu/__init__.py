"""
The `nvgpu` dialect: what NVIDIA's GPUs can do beyond `gpu`, on values of one thread.

Names are those of upstream; operands are in the order that `convert-nvgpu-to-nvvm` expects. A
fragment of a matrix is one vector for each thread.
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from .copies import (
    DeviceAsyncCopyOp,
    DeviceAsyncCreateGroupOp,
    DeviceAsyncWaitOp,
    MBarrierArriveExpectTxOp,
    MBarrierArriveNocompleteOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierInitOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
    TmaAsyncLoadOp,
    TmaAsyncStoreOp,
    TmaCreateDescriptorOp,
    TmaFenceDescriptorOp,
    TmaPrefetchDescriptorOp,
)
from .matrix import (
    CvtFpextOp,
    CvtFptruncOp,
    FmaPackedF32x2Op,
    LdMatrixOp,
    MmaSparseSyncOp,
    MmaSyncOp,
    MulPackedF32x2Op,
    RcpOp,
    StMatrixOp,
    WarpgroupGenerateDescriptorOp,
    WarpgroupMmaInitAccumulatorOp,
    WarpgroupMmaOp,
    WarpgroupMmaStoreOp,
    WarpgroupWaitOp,
)
from .types import (
    ATTRIBUTES,
    TYPES,
)
from .types import (
    DeviceAsyncTokenType as DeviceAsyncTokenType,
)
from .types import (
    MBarrierGroupType as MBarrierGroupType,
)
from .types import (
    MBarrierTokenType as MBarrierTokenType,
)
from .types import (
    MBarrierType as MBarrierType,
)
from .types import (
    ParameterizedType as ParameterizedType,
)
from .types import (
    RcpRounding as RcpRounding,
)
from .types import (
    RcpRoundingAttr as RcpRoundingAttr,
)
from .types import (
    SwizzleAttr as SwizzleAttr,
)
from .types import (
    SwizzleKind as SwizzleKind,
)
from .types import (
    TensorMapDescriptorType as TensorMapDescriptorType,
)
from .types import (
    TokenType as TokenType,
)
from .types import (
    WarpgroupAccumulatorType as WarpgroupAccumulatorType,
)
from .types import (
    WarpgroupDescriptorType as WarpgroupDescriptorType,
)
from .types import (
    is_barrier as is_barrier,
)
from .types import (
    is_shared_space as is_shared_space,
)
from .types import (
    verify_barrier as verify_barrier,
)
from .types import (
    verify_descriptor as verify_descriptor,
)
from .types import (
    verify_global as verify_global,
)
from .types import (
    verify_shared as verify_shared,
)
from .types import (
    verify_token as verify_token,
)

OPERATIONS: tuple[type[IRDLOperation], ...] = (
    # copies
    MBarrierCreateOp,
    MBarrierInitOp,
    MBarrierArriveOp,
    MBarrierArriveNocompleteOp,
    MBarrierArriveExpectTxOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
    TmaAsyncLoadOp,
    TmaAsyncStoreOp,
    TmaCreateDescriptorOp,
    TmaPrefetchDescriptorOp,
    TmaFenceDescriptorOp,
    DeviceAsyncCopyOp,
    DeviceAsyncCreateGroupOp,
    DeviceAsyncWaitOp,
    # matrix
    WarpgroupGenerateDescriptorOp,
    WarpgroupMmaOp,
    WarpgroupWaitOp,
    WarpgroupMmaStoreOp,
    WarpgroupMmaInitAccumulatorOp,
    MmaSyncOp,
    MmaSparseSyncOp,
    LdMatrixOp,
    StMatrixOp,
    RcpOp,
    CvtFptruncOp,
    CvtFpextOp,
    FmaPackedF32x2Op,
    MulPackedF32x2Op,
)

Nvgpu = Dialect("nvgpu", [*OPERATIONS], [*ATTRIBUTES, *TYPES])
