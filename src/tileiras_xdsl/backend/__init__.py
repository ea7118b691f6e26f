"""
From modules of `llvm` and `nvvm` to LLVM IR, PTX, a cubin and a launch.

Importing the package imports no module of it, and none of these imports LLVM, NumPy or CUDA before
it is used.

Modules:

    arguments: The arguments of a launch, as the driver takes them
    captures: Launches that may start before the one ahead of them has ended
    compile: A module of `llvm` and `nvvm` to a cubin and its launch records
    cuda: Loads compiled kernels and launches them, through the CUDA driver
    driver: The part of the CUDA driver that the launcher uses, with types
    entries: The kernels of a module as a launch sees them
    errors: What the back end reports to its user
    extents: How far arrays reach, as kernels with checks at run time take it
    guard: Refuses what is known to end the process inside LLVM
    held_file: A file that is there before its contents: who opens it waits until it is filled
    launch_record: What a launcher has to know about a compiled kernel, in a form that JSON can hold
    libdevice: libdevice: NVIDIA's math functions for the GPU, as LLVM bitcode
    llvmlite_binding: The part of llvmlite that the back end uses, with types
    messages: Messages between this process and interpreters that it starts: their length
    nvdisasm: The machine code of a cubin as text, by NVIDIA's disassembler `nvdisasm`
    nvptx: LLVM IR text to PTX text, through LLVM's NVPTX back end
    prepared: A launch whose arguments are bound once, and which then costs a call of the driver
    ptxas: PTX to a cubin, by NVIDIA's assembler `ptxas`
    sass: Machine code as objects: what each instruction makes its warp wait for
    search: Where parts of the CUDA toolkit may be: PyPI packages, $CUDA_HOME
    streams: Streams of CUDA, whatever library made them
    target: The architectures that LLVM's NVPTX back end compiles for here, and their PTX versions
    targets: The output targets `llvm-ir`, `ptx` and `cubin`
    tensor_map: Tensor maps: the descriptors by which TMA accesses tensors in global memory
    translate: Modules of `llvm` and `nvvm` as LLVM IR text
    worker: LLVM IR to PTX in a worker process
"""
