"""Compiling one function or a module of functions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..error import TVMError, WrongTypeError
from ..ir import IRModule
from ..ir.transform import PassContext, Sequential
from ..relax import Executable, Function
from ..relax.vm_build import build as build_graph
from ..target import Target
from ..te.tensor import Tensor
from ..tir import PrimFunc
from ..tir import transform as loop_passes

__all__ = ["build", "compile", "lower"]

#: The lowering in order, by the names of its passes; those that the package does not have as passes of their own are
#: done where code is made.
_LOWERING = (
    "LowerInitBlock", "PlanAndUpdateBufferAllocationLocation", "ConvertBlocksToOpaque", "CompactBufferAllocation",
    "UnifyThreadBinding", "LowerMatchBuffer", "Simplify", "LowerOpaqueBlock", "FlattenBuffer", "Simplify",
    "LoopPartition", "VectorizeLoop", "HoistIfThenElse", "UnrollLoop", "Simplify", "RemoveNoOp",
    "RewriteUnsafeSelect", "CommonSubexprElimTIR",
)  # fmt: skip


def _module_of(inp: Any, args: Sequence[Any] | None, name: str) -> IRModule:
    if isinstance(inp, IRModule):
        return inp
    if isinstance(inp, (PrimFunc, Function)):
        symbol = inp.attrs.get("global_symbol") if inp.attrs else None
        named = inp if symbol else inp.with_attr("global_symbol", name)
        return IRModule({str(symbol or name): named})
    if isinstance(inp, (list, tuple)) and all(isinstance(tensor, Tensor) for tensor in inp):
        from ..te import create_prim_func

        return _module_of(create_prim_func([*(args or []), *inp]).with_attr("global_symbol", name), None, name)
    raise ValueError(f"expected an IRModule or a PrimFunc, found {type(inp).__name__}")


def _lowering(left_out: Sequence[str] = ()) -> Sequential:
    """The passes of the lowering, and between them those of the option `tir.add_lower_pass`.

    That is a list of pairs of a phase and a pass. Phase 0 is in front of the lowering, phase 1 after buffers are flat,
    phase 2 after loops are vectorised and unrolled, phase 3 the end.
    """
    added: list[list[Any]] = [[], [], [], []]
    for pair in _added_passes():
        phase, one = pair
        added[min(int(phase), 3)].append(one)
    passes = list(added[0])
    for at, name in enumerate(_LOWERING):
        if name not in left_out:
            passes.append(getattr(loop_passes, name)())
        if at == _LOWERING.index("FlattenBuffer"):
            passes.extend(added[1])
        elif name == "UnrollLoop":
            passes.extend(added[2])
    return Sequential([*passes, *added[3]], name="tir.lower")


def _added_passes() -> list[tuple[int, Any]]:
    pairs = list(PassContext.current().config.get("tir.add_lower_pass") or ())
    for pair in pairs:
        fits = isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], int) and pair[0] >= 0
        if not fits or not callable(pair[1]):
            raise WrongTypeError(f"`tir.add_lower_pass` is a list of pairs of a phase and a pass, found {pair!r}")
    return pairs


def _with_added_passes(inputs: Any) -> Any:
    """A module of PrimFuncs after the passes of `tir.add_lower_pass`, as far lowered as they ask for."""
    pairs = _added_passes()
    if not pairs:
        return inputs
    module = _module_of(inputs, None, "main")
    if not all(isinstance(function, PrimFunc) for function in module.functions.values()):
        warnings.warn("`tir.add_lower_pass` has no effect on graphs: lower the PrimFuncs by themselves", stacklevel=3)
        return inputs
    if all(phase == 0 for phase, _ in pairs):
        return Sequential([one for _, one in pairs], name="tir.add_lower_pass")(module)
    return _lowering()(module)


def lower(
    inp: PrimFunc | IRModule,
    args: Sequence[Any] | None = None,
    name: str = "main",
    binds: Mapping[Any, Any] | None = None,
    simple_mode: bool = False,
) -> IRModule:
    """The module after the passes of the lowering that work on one function at a time, whatever the target.

    A PrimFunc becomes a module of one function `name`. `args` and `binds` belong to schedules of tensor expressions,
    which there are none of. With `simple_mode`, loops are neither partitioned nor unrolled.
    """
    if binds:
        raise TVMError("buffers are bound by a PrimFunc's own parameters: `binds` is for schedules of te")
    module = _module_of(inp, args, name)
    left_out = ("LoopPartition", "UnrollLoop") if simple_mode else ()
    return _lowering(left_out)(module)


def build(
    inputs: PrimFunc | Function | IRModule | Mapping[Any, IRModule] | None = None,
    args: Any = None,
    target: str | dict[str, Any] | Target | None = None,
    target_host: str | dict[str, Any] | Target | None = None,
    runtime: Any = None,
    name: str = "default_function",
    binds: Mapping[Any, Any] | None = None,
    *,
    pipeline: str | None = "default",
    mod: PrimFunc | Function | IRModule | None = None,
) -> Executable:
    """Compiles a module, or a single function, for `target` (this machine's processor where none is given).

    The result's functions are called by name, `ex["main"](a, b, out)`; when it holds a single PrimFunc, the result
    itself can be called. A function that returns a scalar (`T.ret(x)`) gives it. A target may stand in the place of
    `args`, which belong to schedules of tensor expressions. A dict has a module for its target. Loops are lowered in
    one way only, the `default` pipeline. `mod` is another name of `inputs`.
    """
    inputs = inputs if mod is None else mod
    if isinstance(args, (str, dict, Target)) and target is None:
        args, target = None, args
    if binds:
        raise TVMError("buffers are bound by a PrimFunc's own parameters: `binds` is for schedules of te")
    if isinstance(inputs, Mapping) and not isinstance(inputs, IRModule):
        if len(inputs) != 1:
            raise TVMError(f"a module is built for one target at a time, found {len(inputs)} targets")
        ((target, inputs),) = inputs.items()
    if isinstance(inputs, (list, tuple)):
        inputs = _module_of(inputs, args, name)
    if target_host is not None:
        target = Target(Target.choose(target), target_host)
    made = _with_added_passes(inputs)
    if isinstance(made, PrimFunc):
        made = _module_of(made, None, "main")
    return build_graph(made, target, tir_pipeline=pipeline)


def compile(
    mod: PrimFunc | Function | IRModule,
    target: str | dict[str, Any] | Target | None = None,
    *,
    relax_pipeline: str | _core.Pass | None = "default",
    tir_pipeline: str | None = "default",
) -> Executable:
    """The same of a module of both levels: `relax_pipeline` is as that of `relax.build`."""
    if not isinstance(mod, (PrimFunc, Function, IRModule)):
        raise WrongTypeError(f"expected an IRModule, a PrimFunc or a relax.Function, found {type(mod).__name__}")
    return build_graph(mod, target, relax_pipeline=relax_pipeline, tir_pipeline=tir_pipeline)
