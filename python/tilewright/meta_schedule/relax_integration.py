"""Tuning of models."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .. import _core
from ..ir import IRModule
from ..relax import Function
from ..target import Target
from ..tir import PrimFunc, Schedule
from .builder import Builder
from .database import Database, check_equality
from .extracted_task import ExtractedTask
from .runner import Runner
from .search_strategy import SearchStrategy
from .space_generator import SpaceGenerator
from .tune import contexts, tune_tasks
from .tune_context import TuneContext
from .utils import as_module

__all__ = ["compile_relax", "extract_tasks", "extracted_tasks_to_tune_contexts", "tune_relax"]


def _whole(mod: IRModule | Function, params: dict[str, Any] | None) -> IRModule:
    from ..relax.transform import BindParams

    if isinstance(mod, Function):
        mod = as_module(mod)
    return BindParams("main", params)(mod) if params else mod


def extract_tasks(
    mod: IRModule | Function,
    target: str | dict[str, Any] | Target | None,
    params: dict[str, Any] | None = None,
    *,
    module_equality: str = "structural",
) -> list[ExtractedTask]:
    """The kernels of a module: its PrimFuncs, those of one structure once with the number of their calls. Of a module
    that has no PrimFunc yet, those that its compilation makes."""
    check_equality(module_equality)
    mod, chosen = _whole(mod, params), Target.choose(target)
    lowered = any(isinstance(mod[gv], PrimFunc) for gv in mod.get_global_vars())
    found = _core.tuning_tasks(mod, chosen, not lowered)
    tasks = []
    for name, func, weight in found:
        one = as_module(func)
        tasks.append(ExtractedTask(name, one, chosen, [one], weight))
    return tasks


def extracted_tasks_to_tune_contexts(
    extracted_tasks: list[ExtractedTask],
    work_dir: str | os.PathLike[str],
    space: SpaceGenerator | Callable[[Schedule], Any] | str = "post-order-apply",
    strategy: SearchStrategy | str = "evolutionary",
    num_threads: int | str = "physical",
    seed: int | None = None,
) -> tuple[list[TuneContext], list[float]]:
    """A context and a weight for each task."""
    named = [(task.task_name, task.dispatched[0]) for task in extracted_tasks]
    target = extracted_tasks[0].target if extracted_tasks else None
    weights = [float(task.weight) for task in extracted_tasks]
    return contexts(named, target, space, strategy, seed), weights


def tune_relax(
    mod: IRModule | Function,
    params: dict[str, Any] | None,
    target: str | dict[str, Any] | Target | None,
    work_dir: str | os.PathLike[str],
    max_trials_global: int,
    *,
    max_trials_per_task: int | None = None,
    op_names: list[str] | None = None,
    num_trials_per_iter: int = 64,
    builder: Builder | str = "local",
    runner: Runner | str = "local",
    database: Database | str = "json",
    cost_model: Any = "xgb",
    measure_callbacks: Any = "default",
    task_scheduler: str = "gradient",
    space: SpaceGenerator | Callable[[Schedule], Any] | str = "post-order-apply",
    strategy: SearchStrategy | str = "evolutionary",
    seed: int | None = None,
    module_equality: str = "structural",
) -> Database:
    """Searches faster schedules for the kernels of a model; `op_names` keeps those whose names contain one of these."""
    tasks = extract_tasks(mod, target, params, module_equality=module_equality)
    if op_names is not None:
        tasks = [task for task in tasks if any(name in task.task_name for name in op_names)]
    made, weights = extracted_tasks_to_tune_contexts(tasks, work_dir, space, strategy, seed=seed)
    return tune_tasks(
        tasks=made,
        task_weights=weights,
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
    )


def compile_relax(
    database: Database,
    mod: IRModule | Function,
    target: str | dict[str, Any] | Target | None,
    params: dict[str, Any] | None = None,
    enable_warning: bool = False,
) -> _core.Executable:
    """Compiles a model with the schedules of a database, for the kernels that are faster with them. With
    `enable_warning`, kernels without a record are named on standard error."""
    from ..relax.vm_build import build

    if enable_warning:
        for task in extract_tasks(mod, target, params):
            if not database.has_workload(task.dispatched[0]):
                print(f"warning: the database has no record for `{task.task_name}`", file=sys.stderr)
    with database:
        return build(_whole(mod, params), Target.choose(target))
