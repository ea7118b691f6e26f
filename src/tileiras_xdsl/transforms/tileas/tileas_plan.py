"""
Writes a plan into kernels, which later passes follow.

    tileas-plan{warps=8 stages=3}

Before:  gpu.func @k(…) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, …}
After:   gpu.func @k(…) kernel attributes
             {nv_tileas.kernel_plan = #nv_tileas.kernel_plan<warps = 8, stages = 3>, …}
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileas.plan import PLAN, Plan, PlanAttr
from tileiras_xdsl.transforms.common.kernel_spec import kernels


@dataclass(frozen=True)
class TileasPlanPass(ModulePass):
    """
    Writes a plan to kernels of the stage `tileaa`, where it replaces the one that they have. What
    it asks for overrides hints of the program. Passes that decide follow it where that is legal.
    Fields that are left out are theirs to choose; without any, the plan is removed.

    - warps: that compute on tiles, a power of two.
    - occupancy: CTAs per SM.
    - stages: buffer stages of every load that is pipelined.
    - persistent: 1 if CTAs stay for many tile blocks, 0 if each has one.
    - ping_pong: 1 if warpgroups issue WGMMAs alternately, 0 if not.
    - cluster: CTAs of a cluster.
    - kernel: the name of the kernel, all if it is left out.
    """

    name = "tileas-plan"

    warps: int | None = None
    occupancy: int | None = None
    stages: int | None = None
    persistent: int | None = None
    ping_pong: int | None = None
    cluster: int | None = None
    kernel: str | None = None

    @staticmethod
    def of(plan: Plan, kernel: str | None = None) -> TileasPlanPass:
        """The pass that writes a plan."""
        return TileasPlanPass(**plan.get_fields(), kernel=kernel)

    @property
    def plan(self) -> Plan:
        """What it asks for."""
        return Plan(**{field.name: getattr(self, field.name) for field in fields(Plan)})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        attribute = PlanAttr(self.plan)
        functions = [function for function in kernels(op) if function.kernel is not None]
        if self.kernel is not None:
            names = [function.sym_name.data for function in functions]
            if self.kernel not in names:
                raise DiagnosticException(f"no kernel '{self.kernel}', but {', '.join(names)}")
            functions = [functions[names.index(self.kernel)]]
        for function in functions:
            PLAN.drop(function)
            if self.plan.get_fields():
                PLAN.set(function, attribute)
            # Hints are read in places that know no plans.
            asked = {"num_ctas": self.cluster, "occupancy": self.occupancy}
            given = {name: value for name, value in asked.items() if value is not None}
            spec = KERNEL_SPEC.get(function) or KernelSpecAttr()
            KERNEL_SPEC.set(function, spec.replaced(**given))
