"""Passes that tune the kernels of a module, or use what was tuned."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from ..._core import IRModule, Pass, apply_database
from ...error import TVMError
from ...target import Target
from ...tir import PrimFunc, Schedule

__all__ = ["FewShotTuning", "MetaScheduleApplyDatabase", "MetaScheduleTuneIRMod", "MetaScheduleTuneTIR"]


def MetaScheduleApplyDatabase(work_dir: str | None = None, enable_warning: bool = False) -> Pass:
    """Replaces each PrimFunc without a schedule by what the best record for the target in scope makes of it: of the
    database in scope, else of that in `work_dir`. A record that was not measured to be faster than the kernel of the
    default rules is left out; one that was measured without that kernel, by a builder or runner of one's own, is
    taken as it is. With `enable_warning`, functions without a record are named on standard error."""

    def transform(module: IRModule, _: Any) -> IRModule:
        from ...meta_schedule.database import Database, JSONDatabase

        database = Database.current()
        if database is None and work_dir is not None:
            database = JSONDatabase(work_dir=work_dir)
        if database is None:
            raise TVMError("there is no database: use `with database:`, or give `work_dir`")
        if enable_warning:
            _warn(database, module)
        schedule = Schedule(IRModule({}))
        schedule._know_intrinsics()
        return apply_database(database._in_core(), Target.choose(None), schedule)(module)

    return Pass.from_python(transform, "MetaScheduleApplyDatabase", 0)


def current_database() -> Any:
    """The database in scope; `None` where there is none."""
    tuner = sys.modules.get(f"{__package__.partition('.')[0]}.meta_schedule.database")
    return None if tuner is None else tuner.Database.current()


def _warn(database: Any, module: IRModule) -> None:
    for gv in module.get_global_vars():
        func = module[gv]
        if isinstance(func, PrimFunc) and not database.has_workload(IRModule({"main": func})):
            print(f"warning: the database has no record for `{gv.name_hint}`", file=sys.stderr)


def MetaScheduleTuneTIR(work_dir: str, max_trials_global: int) -> Pass:
    """Tunes the PrimFuncs of a module into the database in `work_dir`, or into that in scope; the module stays."""

    def transform(module: IRModule, _: Any) -> IRModule:
        from ...meta_schedule import tune_tir
        from ...meta_schedule.database import Database

        database = Database.current() or "json"
        tune_tir(module, Target.choose(None), work_dir, max_trials_global, database=database)
        return module

    return Pass.from_python(transform, "MetaScheduleTuneTIR", 0)


def MetaScheduleTuneIRMod(
    params: dict[str, Any] | None,
    work_dir: str,
    max_trials_global: int,
    max_trials_per_task: int | None = None,
    op_names: list[str] | None = None,
) -> Pass:
    """Tunes the kernels of a model into the database in `work_dir`, or into that in scope; the module stays."""

    def transform(module: IRModule, _: Any) -> IRModule:
        from ...meta_schedule.database import Database
        from ...meta_schedule.relax_integration import tune_relax

        tune_relax(
            module,
            params,
            Target.choose(None),
            work_dir,
            max_trials_global,
            max_trials_per_task=max_trials_per_task,
            op_names=op_names,
            database=Database.current() or "json",
        )
        return module

    return Pass.from_python(transform, "MetaScheduleTuneIRMod", 0)


def FewShotTuning(valid_count: int = 1, benchmark: bool = False) -> Pass:
    """Tries a few schedules for each PrimFunc without one, and takes the first that works, or with `benchmark` the
    fastest of `valid_count` that were measured."""
    if valid_count < 1:
        raise TVMError(f"valid_count is 1 or more, found {valid_count}")

    def transform(module: IRModule, _: Any) -> IRModule:
        from ...meta_schedule.database import MemoryDatabase
        from ...meta_schedule.tir_integration import tune_tir

        target = Target.choose(None)
        scheduled = IRModule(dict(module.functions), attrs=module.attrs, global_infos=module.global_infos)
        for gv in module.get_global_vars():
            func = module[gv]
            if not isinstance(func, PrimFunc) or func.attrs.get("tir.is_scheduled"):
                continue
            database = MemoryDatabase()
            with tempfile.TemporaryDirectory() as folder:
                trials = valid_count if benchmark else 1
                tune_tir(IRModule({"main": func}), target, folder, trials, database=database)
            found = database.query_ir_module(IRModule({"main": func}), target)
            if found is not None:
                made = found["main"].with_attr("tir.is_scheduled", True)
                symbol = func.attrs.get("global_symbol")
                scheduled[gv] = made if symbol is None else made.with_attr("global_symbol", symbol)
        return scheduled

    return Pass.from_python(transform, "FewShotTuning", 0)
