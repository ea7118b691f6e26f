"""What architectures are: `target` says what passes can ask, a module for each family answers."""

from . import ampere, blackwell_consumer, blackwell_datacenter, hopper
from .target import add_target

for _family in (ampere, hopper, blackwell_datacenter, blackwell_consumer):
    for _target in _family.TARGETS:
        add_target(_target)
