"""
From modules of `llvm` and `nvvm` to LLVM IR, PTX, a cubin and a launch.

Importing the package imports no module of it, and none of these imports LLVM, NumPy or CUDA before
it is used.

Modules:

    arguments: The arguments of a launch, as the driver takes them
    compile: A module of `llvm` and `nvvm` to a cubin and its launch records
    cuda: Loads compiled kernels and launches them, through the CUDA driver
    driver: The part of the CUDA driver that the launcher uses, with types
    entries: The kernels of a module as a launch sees them
    errors: What the back end reports to its user
    guard: Refuses what is known to end the process inside LLVM
    host: LLVM IR for the CPU of this machine: assembly, object code, functions that can be called
    host_code: Code of a cubin for the CPU, by which the driver encodes tensor maps
    host_rates: How fast the CPU of this machine is: FMAs in registers
    launch_record: What a launcher has to know about a compiled kernel, in a form that JSON can hold
    libdevice: libdevice: NVIDIA's math functions for the GPU, as LLVM bitcode
    llvmlite_binding: The part of llvmlite that the back end uses, with types
    nvptx: LLVM IR text to PTX text, through LLVM's NVPTX back end
    ptxas: PTX to a cubin, by NVIDIA's assembler `ptxas`
    sass: Machine code as objects: what each instruction makes its warp wait for
    target: The architectures that LLVM's NVPTX back end compiles for here, and their PTX versions
    targets: The output targets `llvm-ir`, `ptx` and `cubin`
    translate: Modules of `llvm` and `nvvm` as LLVM IR text
    worker: LLVM IR to PTX in a worker process
"""
