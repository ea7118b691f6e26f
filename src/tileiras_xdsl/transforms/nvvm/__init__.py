"""
To `nvvm` and `llvm`, which are translated to LLVM IR.

Modules:

    convert_gpu_to_nvvm: The conversion from `gpu` to `nvvm`: functions, pattern families
    convert_nvgpu_to_nvvm: Lowers `nvgpu` to `nvvm` and `llvm`
    convert_scf_while_to_cf: `scf.while` as blocks and branches
    convert_to_llvm: The conversion `convert-to-llvm`
    llvm_types: Types of the LLVM dialect
"""
