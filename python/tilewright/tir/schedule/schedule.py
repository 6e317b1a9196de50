"""The schedule of a module in the making.

Every primitive is a method: `sch.split(loop, factors=[None, 16])`. A primitive either keeps what the function computes
or raises `ScheduleError`, which shows the block or the loop that is concerned, underlined in the script.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from ... import _core
from ..._core import BlockRV, ExprRV, LoopRV, schedule_primitive_doc, schedule_primitives, schedule_renamed
from ...error import TVMError
from ..function import TensorIntrin
from .state import ScheduleState
from .trace import Trace

__all__ = ["RAND_VAR_TYPE", "BlockRV", "ExprRV", "LoopRV", "Schedule", "ScheduleError"]

RAND_VAR_TYPE = BlockRV | LoopRV | ExprRV


class ScheduleError(TVMError):
    """A primitive that was not applied, and why: the schedule is as it was before the call."""


class Schedule(_core.Schedule):
    """A module, or a function, and handles for its blocks and loops, which primitives take and give.

    What is drawn (`sample_perfect_tile` and its like) follows from `seed`, and the trace has what was drawn.
    `error_render_level` says whether errors show the script: "detail", "fast" or "none".
    """

    @property
    def state(self) -> ScheduleState:
        """The module as a tree of blocks and loops."""
        return ScheduleState(self.mod, self)

    @property
    def trace(self) -> Trace:
        """The calls so far."""
        return Trace._of(super().trace)

    def show(self, *args: Any, **kwargs: Any) -> None:
        """Prints the module and the calls that made it."""
        self.mod.show(*args, **kwargs)
        self.trace.show()

    def tensorize(self, block_or_loop: BlockRV | LoopRV, tensor_intrin: str, preserve_unit_iters: bool = True) -> None:
        """Replaces the computation that a registered `TensorIntrin` describes by its implementation."""
        self._know_intrinsics()
        self._call("tensorize", (block_or_loop, tensor_intrin, preserve_unit_iters), {})

    def _know_intrinsics(self) -> None:
        """Tells the schedule what is registered by now."""
        for name, intrin in TensorIntrin._known.items():
            self._register_intrinsic(name, intrin.desc, intrin.impl)

    def remove_rv(self, rand_var_rv: RAND_VAR_TYPE) -> None:
        """A handle that is not used any more costs nothing and stays."""


def _method(name: str, params: list[tuple[str, list[Any]]]) -> Callable[..., Any]:
    """The method that calls a primitive, with the signature that the primitive declares."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for param, default in params:
        if param.startswith("*"):
            parameters.append(Parameter(param[1:], Parameter.VAR_POSITIONAL))
            kind = Parameter.KEYWORD_ONLY
        else:
            parameters.append(Parameter(param, kind, default=(*default, Parameter.empty)[0]))
    signature = Signature(parameters)

    def method(self: Schedule, *args: Any, **kwargs: Any) -> Any:
        return self._call(name, args, kwargs)

    method.__name__ = name
    method.__qualname__ = f"Schedule.{name}"
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__doc__ = schedule_primitive_doc(name)
    return method


for _, _name, _params in schedule_primitives():
    if _name not in vars(Schedule):
        setattr(Schedule, _name, _method(_name, _params))

_params_of = {_name: _params for _, _name, _params in schedule_primitives()}
for _earlier, _name in schedule_renamed():
    setattr(Schedule, _earlier, _method(_earlier, _params_of[_name]))
