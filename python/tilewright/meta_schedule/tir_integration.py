"""Tuning of PrimFuncs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..ir import IRModule
from ..target import Target
from ..tir import PrimFunc, Schedule
from .builder import Builder
from .database import Database
from .runner import Runner
from .search_strategy import SearchStrategy
from .space_generator import SpaceGenerator
from .tune import contexts, tune_tasks
from .utils import as_module, normalize_mod

__all__ = ["compile_tir", "tune_tir"]


def tune_tir(
    mod: IRModule | PrimFunc,
    target: str | dict[str, Any] | Target | None,
    work_dir: str | os.PathLike[str],
    max_trials_global: int,
    *,
    max_trials_per_task: int | None = None,
    num_trials_per_iter: int = 64,
    builder: Builder | str = "local",
    runner: Runner | str = "local",
    database: Database | str = "json",
    cost_model: Any = "xgb",
    measure_callbacks: Any = "default",
    task_scheduler: str = "gradient",
    space: SpaceGenerator | Callable[[Schedule], Any] | str = "post-order-apply",
    strategy: SearchStrategy | str = "evolutionary",
    num_tuning_cores: str | int = "physical",
    seed: int | None = None,
    module_equality: str = "structural",
    special_space: dict[str, Any] | None = None,
    post_optimization: bool | None = False,
    task_name: str | None = None,
) -> Database:
    """Searches faster schedules for a PrimFunc, or for each PrimFunc of a module, and gives the database with what was
    measured.

    `space` is the default one, a function that schedules, or a `SpaceGenerator`; `special_space` has others for
    functions by name. `strategy` is "evolutionary", "replay-trace" or "replay-func".
    """
    named = _named(mod, task_name)
    made = contexts(named, target, space, strategy, seed)
    for at, (name, one) in enumerate(named):
        if special_space and name in special_space:
            own = (seed + at) if seed is not None else None
            made[at] = contexts([(name, one)], target, special_space[name], strategy, own)[0]
    return tune_tasks(
        tasks=made,
        task_weights=[1.0] * len(made),
        work_dir=work_dir,
        max_trials_global=max_trials_global,
        max_trials_per_task=max_trials_per_task,
        num_trials_per_iter=num_trials_per_iter,
        builder=builder,
        runner=runner,
        database=database,
        cost_model=cost_model,
        measure_callbacks=measure_callbacks,
        task_scheduler=task_scheduler,
        module_equality=module_equality,
        post_optimization=post_optimization,
    )


def _named(mod: IRModule | PrimFunc, task_name: str | None) -> list[tuple[str, IRModule]]:
    """The functions of a module, each in a module of its own."""
    if isinstance(mod, PrimFunc):
        return [(task_name or "main", normalize_mod(mod))]
    prims = [gv.name_hint for gv in mod.get_global_vars() if isinstance(mod[gv], PrimFunc)]
    if not prims:
        raise ValueError("the module has no PrimFunc to tune")
    return [(task_name if task_name and len(prims) == 1 else name, as_module(mod[name])) for name in prims]


def compile_tir(
    database: Database, mod: IRModule | PrimFunc, target: str | dict[str, Any] | Target | None
) -> Schedule | None:
    """The schedule of the best record that the database has for a function; `None` where it has none."""
    return database.query_schedule(normalize_mod(mod), Target.choose(target), workload_name="main")
