"""
What architectures are: `target` says what passes can ask, a module for each family answers.

Modules:

    ampere: Ampere and Ada: sm_80 (A100), sm_86 (GeForce 30), sm_87 and sm_88
    blackwell_consumer: Consumer Blackwell: sm_120 (GeForce 50, RTX PRO), sm_121 (DGX Spark)
    blackwell_datacenter: Datacentre Blackwell: sm_100 (B200), sm_103 (B300), sm_107, sm_110 (Thor)
    choices: Numbers by which passes choose, the same for all architectures
    cpu: CPUs: what the pipeline for them asks of one
    functions: Instructions that ptxas makes of functions of an f32 and of divisions
    hopper: Hopper: sm_90a (H100, H200), and sm_90, its part that later architectures have too
    machine: The parts of an SM, in numbers; sources are those of `target`
    target: What an architecture is, as passes and the back end ask for it
    tcgen05: `tcgen05`: what its MMAs multiply, the bits of their descriptors, and tensor memory
    tma: TMA, the tensor memory accelerator: what tensor maps, TMA tiles
    warpgroups: WGMMA: the limits of the instruction, and the scheduling model of kernels around it
"""

from . import ampere, blackwell_consumer, blackwell_datacenter, hopper
from .target import add_target

for _family in (ampere, hopper, blackwell_datacenter, blackwell_consumer):
    for _target in _family.TARGETS:
        add_target(_target)
