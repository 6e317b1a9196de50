"""Tuning of tasks: which arguments there are, and what they become for the core."""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

from .. import _core
from ..error import TVMError
from ..target import Target
from ..tir import Schedule
from .arg_info import ArgInfo
from .builder import Builder, BuilderInput, LocalBuilder
from .child import worker
from .cost_model import check_model
from .database import Database, JSONDatabase, MemoryDatabase, _CoreDatabase
from .runner import EvaluatorConfig, LocalRunner, Runner, RunnerInput
from .search_strategy import ReplayFunc, SearchStrategy
from .space_generator import PostOrderApply, SpaceGenerator
from .tune_context import TuneContext
from .utils import main_of

__all__ = ["tune_tasks"]


def tune_tasks(
    *,
    tasks: list[TuneContext],
    task_weights: list[float],
    work_dir: str | os.PathLike[str],
    max_trials_global: int,
    max_trials_per_task: int | None = None,
    num_trials_per_iter: int = 64,
    builder: Builder | str = "local",
    runner: Runner | str = "local",
    database: Database | str = "json",
    cost_model: Any = "xgb",
    measure_callbacks: Any = "default",
    task_scheduler: str = "gradient",
    module_equality: str = "structural",
    post_optimization: bool | None = False,
) -> Database:
    """Searches faster schedules for tasks and writes what was measured into the database, which is in `work_dir` unless
    another one is given. All tasks have one target and one strategy.

    A task's candidates are measured in another process, in turns with the kernel of the default rules; with a builder
    or a runner of one's own, or an evaluator that is configured, by these, and without that kernel. At the end,
    standard error shows a table of the tasks.
    """
    check_model(cost_model)
    _check_arguments(measure_callbacks, task_scheduler)
    if not tasks:
        raise ValueError("there are no tasks to tune")
    if len(task_weights) != len(tasks):
        raise ValueError(f"expected a weight for each of {len(tasks)} tasks, found {len(task_weights)}")
    kinds = {task.search_strategy and task.search_strategy.kind for task in tasks}
    if len(kinds) > 1 or any(task.target != tasks[0].target for task in tasks):
        raise ValueError("expected one target and one strategy for all tasks: tune the others by themselves")
    if post_optimization:
        raise TVMError("post_optimization is not supported: the search goes on with what it has learned")
    chosen = _database(database, work_dir, module_equality)
    in_core = chosen if isinstance(chosen, _CoreDatabase) else MemoryDatabase()
    target, strategy = tasks[0].target, _strategy(tasks)
    parts = []
    for task, weight in zip(tasks, task_weights, strict=True):
        schedules = _schedules(task, strategy, max_trials_per_task or max_trials_global)
        parts.append((task.task_name, main_of(task.mod), max(1, int(weight)), schedules))
    limits = (
        strategy.kind,
        max_trials_global,
        max_trials_per_task or max_trials_global,
        num_trials_per_iter,
        tasks[0]._seed(),
        None,
    )
    measure = _measure(builder, runner, [task.mod for task in tasks], target)
    gains = _core.tune_tasks(parts, target, limits, in_core._db, measure, None)
    if chosen is not in_core:
        for record in in_core.get_all_tuning_records():
            chosen.commit_tuning_record(record._of(chosen.commit_workload(record.workload.mod)))
    print(_table(gains), file=sys.stderr)
    return chosen


def _check_arguments(measure_callbacks: Any, task_scheduler: Any) -> None:
    if task_scheduler not in ("gradient", "round-robin"):
        raise ValueError(f"expected the task scheduler `gradient` or `round-robin`, found {task_scheduler!r}")
    if task_scheduler == "round-robin":
        warnings.warn(
            "`round-robin` has no effect: trials go to the tasks by what they may gain, after a share for each",
            stacklevel=3,
        )
    if measure_callbacks not in ("default", [], None):
        raise TVMError("there are no callbacks while measuring: `measure_callbacks` is `default`")


def _database(database: Database | str, work_dir: Any, module_equality: str) -> Database:
    if isinstance(database, Database):
        return database
    if database == "json":
        return JSONDatabase(work_dir=work_dir, module_equality=module_equality)
    return Database.create(database, module_equality=module_equality)


def _strategy(tasks: list[TuneContext]) -> SearchStrategy:
    strategy = tasks[0].search_strategy or SearchStrategy.create("evolutionary")
    if not strategy.kind:
        raise TVMError("a strategy of one's own is driven through its TuneContext, not by `tune_tasks`")
    return strategy


def _schedules(task: TuneContext, strategy: SearchStrategy, trials: int) -> list[Schedule] | None:
    """The schedules to begin with; `None` for the default space, which the core makes."""
    space = task.space_generator or PostOrderApply()
    if type(space) is PostOrderApply:
        return None
    made = space.generate_design_space(task.mod)
    while isinstance(strategy, ReplayFunc) and len(made) < trials:
        space._seed += 1
        made = [*made, *space.generate_design_space(task.mod)]
        if not any(inst.kind.draws for sch in made for inst in sch.trace.insts):
            break
    return made


def _measure(builder: Any, runner: Any, mods: list[Any], target: Target) -> Any:
    """The command of the measuring process, or a function that asks the builder and the runner."""
    builder, runner = Builder.create(builder), Runner.create(runner)
    is_local = type(builder) is LocalBuilder and builder.f_build is None and builder.f_export is None
    plain = type(runner) is LocalRunner and runner.evaluator_config == EvaluatorConfig() and runner.cooldown_sec <= 0
    if is_local and plain:
        return worker(builder.timeout_sec + runner.timeout_sec)
    infos = [ArgInfo.from_entry_func(mod) for mod in mods]

    def measure(task: int, candidates: list[Any]) -> list[list[float] | str]:
        built = builder.build([BuilderInput(mod, target) for mod in candidates])
        inputs = [RunnerInput(one.artifact_path, "cpu", infos[task]) for one in built if one.artifact_path is not None]
        futures = list(runner.run(inputs)) if inputs else []
        if len(futures) != len(inputs):
            raise TVMError(f"the runner gave {len(futures)} results for {len(inputs)} inputs")
        results = iter(futures)
        outcomes: list[list[float] | str] = []
        for one in built:
            if one.artifact_path is None:
                outcomes.append(one.error_msg or "it was not built")
                continue
            result = next(results).result()
            LocalBuilder._remove(one.artifact_path)
            if result.run_secs:
                outcomes.append([float(seconds) for seconds in result.run_secs])
            else:
                outcomes.append(result.error_msg or "it was not run")
        return outcomes

    return measure


def _table(gains: list[Any]) -> str:
    """The tasks with what was gained for each."""
    lines = [f"{'task':32} {'weight':>6} {'trials':>6} {'failed':>6} {'latency (us)':>14} {'untuned (us)':>14}"]
    for name, weight, trials, failures, failure, best, _ in gains:
        latency = untuned = "-"
        if best is not None:
            _, _, _, runs = best
            latency = f"{1e6 * sum(median(seconds) for _, seconds, _ in runs):.3f}"
            if all(baseline for _, _, baseline in runs):
                untuned = f"{1e6 * sum(median(baseline) for _, _, baseline in runs):.3f}"
        lines.append(f"{name:32} {weight:>6} {trials:>6} {failures:>6} {latency:>14} {untuned:>14}")
        if best is None and failure is not None:
            lines.append(f"  the last failure: {failure}")
    return "\n".join(lines)


def contexts(
    named: list[tuple[str, Any]],
    target: Any,
    space: SpaceGenerator | Callable[[Schedule], Any] | str,
    strategy: SearchStrategy | str,
    seed: int | None,
) -> list[TuneContext]:
    """A context for each module, with spaces and strategies of their own."""
    seed = random.randrange(1, 2**30) if seed is None else seed
    made = []
    for at, (name, mod) in enumerate(named):
        context = TuneContext(
            mod,
            target=target,
            space_generator=SpaceGenerator.create(space).clone(),
            search_strategy=SearchStrategy.create(strategy).clone(),
            task_name=name,
            rand_state=seed + at,
        )
        made.append(context)
    return made
