"""Generating candidates, measuring them and choosing the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....error import TVMError, WrongValueError
from ....ir.module import IRModule
from ....ir.transform import Pass, PassContext
from ....runtime import cpu
from ....runtime.ndarray import array
from ....target import Target
from ...expr import Function
from ...struct_info import TensorStructInfo
from ...vm import VirtualMachine
from ...vm_build import build
from .primitives import Knob, Trace

__all__ = [
    "default_consider_eval_passes", "default_evaluate", "default_generate_candidate", "select_best_candidate",
]  # fmt: skip


def default_generate_candidate(
    knobs: Sequence[Knob], trace: Trace, eval_passes: Sequence[Pass] | None = None
) -> list[Trace]:
    """A trace for every combination of choices of the knobs that may be applied, after the given one."""
    candidates = [trace]
    for knob in knobs:
        made = []
        for candidate in candidates:
            for decision, choice in knob.choices.items():
                if choice.check_constr(candidate.out_mod):
                    own = candidate.deepcopy()
                    own.add(knob, decision)
                    made.append(own)
        candidates = made
    return candidates if eval_passes is None else default_consider_eval_passes(candidates, eval_passes)


def default_consider_eval_passes(init_candidates: Sequence[Trace], eval_passes: Sequence[Pass]) -> list[Trace]:
    """The traces, each with the time of its module after the passes: a copy is transformed and measured, and the trace
    itself keeps its module."""
    context = PassContext.current()
    found = []
    for candidate in init_candidates:
        context.push_trace(candidate.deepcopy())
        module = candidate.out_mod
        for one in eval_passes:
            module = one(module)
        measured = context.pop_trace()
        measured.set_out_mod(module)
        default_evaluate([measured], str(Target.current() or "llvm"))
        if measured.perf is not None:
            candidate.set_perf(measured.perf)
        found.append(candidate)
    return found


def default_evaluate(
    candidates: Sequence[Trace],
    target_str: str,
    params: dict[str, Any] | None = None,
    builder: Any = None,
    runner: Any = None,
) -> None:
    """Builds and runs the module of each trace that has no performance yet, and notes the mean of its seconds.

    Measurements that the context's database has are used, and new ones are added to it. A module that cannot be built
    or run is infinitely slow.
    """
    if builder is not None or runner is not None:
        raise TVMError("modules are built and run in this process: no builder or runner is used")
    context, target = PassContext.current(), Target(target_str)
    database = context.get_tuning_api_database()
    for candidate in candidates:
        if candidate.perf is not None:
            continue
        workload = None if database is None else database.commit_workload(candidate.out_mod)
        seconds = None if database is None else database.get_measurement_record(workload, target)
        if seconds is None:
            seconds = _measured(candidate.out_mod, target, params)
            context.inc_num_evals(1)
            if database is not None:
                database.commit_measurement_record(workload, target, seconds)
        candidate.set_perf(sum(seconds) / len(seconds))


def _measured(module: IRModule, target: Target, params: dict[str, Any] | None) -> list[float]:
    """The seconds of runs of `main` on zeros."""
    import numpy as np

    try:
        main = module["main"]
        if not isinstance(main, Function):
            raise WrongValueError("a module is measured by its graph function `main`")
        machine = VirtualMachine(build(module, target, params=params), cpu())
        args = []
        for param in main.params:
            info = param.struct_info
            if not isinstance(info, TensorStructInfo) or info.shape is None:
                raise WrongValueError(f"`main` is measured on tensors of known shapes, found {info}")
            args.append(array(np.zeros([int(dim) for dim in info.shape], info.dtype)))
        return list(machine.time_evaluator("main", cpu(), number=3, repeat=3)(*args).results)
    except (TVMError, TypeError, ValueError):
        return [1e100]


def select_best_candidate(candidates: Sequence[Trace]) -> Trace:
    """The fastest of the traces that were measured."""
    measured = [candidate for candidate in candidates if candidate.perf is not None]
    if not measured:
        raise WrongValueError("none of the traces was measured")
    return min(measured, key=lambda candidate: candidate.perf)
