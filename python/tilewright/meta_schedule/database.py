"""Databases: functions, schedules that were measured of them, and how long these took."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from itertools import islice
from statistics import mean
from typing import Any, Self

from .. import _core
from ..error import TVMError
from ..ir import IRModule, load_json, save_json, structural_equal
from ..target import Target
from ..tir import Schedule
from ..tir.schedule import Trace
from .arg_info import ArgInfo
from .utils import as_module, main_of, normalize_mod

__all__ = [
    "Database",
    "JSONDatabase",
    "MemoryDatabase",
    "OrderedUnionDatabase",
    "PyDatabase",
    "ScheduleFnDatabase",
    "TuningRecord",
    "UnionDatabase",
    "Workload",
    "create",
]

_stack: ContextVar[tuple[Database, ...]] = ContextVar("tilewright.tuning_database", default=())


class Workload:
    """A function that is tuned, as a module whose one function is called `main`."""

    def __init__(self, mod: IRModule) -> None:
        self.mod = normalize_mod(mod)

    @property
    def shash(self) -> int:
        """The structural hash of the function."""
        return _core.workload_hash(self.mod["main"])

    def as_json(self) -> list[str]:
        """The function as plain data: its hash and its module."""
        return [str(self.shash), save_json(self.mod)]

    @staticmethod
    def from_json(json_obj: Any) -> Workload:
        """The function of what `as_json` gave."""
        return Workload(load_json(json_obj[1]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Workload) and structural_equal(self.mod, other.mod)

    def __hash__(self) -> int:
        return self.shash


class TuningRecord:
    """A schedule of a workload, by its trace, and the seconds that it took; none of one that failed."""

    def __init__(
        self,
        trace: Trace,
        workload: Workload,
        run_secs: list[float] | None = None,
        target: Target | str | None = None,
        args_info: list[ArgInfo] | None = None,
    ) -> None:
        self.trace = trace
        self.workload = workload
        self.run_secs = None if run_secs is None else [float(seconds) for seconds in run_secs]
        self.target = None if target is None else Target.choose(target)
        self.args_info = args_info
        # As the core measured it; of one that was made here, what the constructor was given.
        self._runs: list[tuple[list[int], list[float], list[float]]] | None = None

    def as_measure_candidate(self) -> Any:
        """The candidate whose measurement this is."""
        from .search_strategy import MeasureCandidate

        sch = Schedule(self.workload.mod)
        self.trace.apply_to_schedule(sch)
        return MeasureCandidate(sch, self.args_info or ArgInfo.from_entry_func(sch.mod))

    def as_json(self) -> list[Any]:
        """The record as plain data: trace, seconds, target and arguments."""
        args = None if self.args_info is None else [arg.as_json() for arg in self.args_info]
        target = None if self.target is None else self.target.export()
        return [self.trace.as_json(), self.run_secs, target, args]

    @staticmethod
    def from_json(json_obj: Any, workload: Workload) -> TuningRecord:
        """The record of what `as_json` gave."""
        trace, run_secs, target, args = json_obj
        sch = Schedule(workload.mod)
        Trace.apply_json_to_schedule(trace, sch)
        infos = None if args is None else [ArgInfo.from_json(arg) for arg in args]
        return TuningRecord(sch.trace, workload, run_secs, None if target is None else Target(target), infos)

    def _of(self, workload: Workload) -> TuningRecord:
        """The same record of a workload of another database, with what the untuned kernel took."""
        copy = TuningRecord(self.trace, workload, self.run_secs, self.target, self.args_info)
        copy._runs = self._runs
        return copy

    def is_valid(self) -> bool:
        """Whether there are times, none of which says that the run failed."""
        return bool(self.run_secs) and all(seconds < 1e9 for seconds in self.run_secs or [])

    def _cost(self) -> float:
        return mean(self.run_secs) if self.run_secs else float("inf")

    def __repr__(self) -> str:
        return f"TuningRecord({self.run_secs}, {len(self.trace.insts)} instructions)"


class Database:
    """Functions and their records. `with database:` makes it the one that passes and `relax.build` use."""

    def has_workload(self, mod: IRModule) -> bool:
        """Whether a function, or one like it, is there."""
        raise NotImplementedError(f"{type(self).__name__} has no `has_workload`")

    def commit_workload(self, mod: IRModule) -> Workload:
        """Adds a function, unless it is there."""
        raise NotImplementedError(f"{type(self).__name__} has no `commit_workload`")

    def commit_tuning_record(self, record: TuningRecord) -> None:
        """Adds a record."""
        raise NotImplementedError(f"{type(self).__name__} has no `commit_tuning_record`")

    def get_top_k(self, workload: Workload, top_k: int) -> list[TuningRecord]:
        """The best records of a function, so many at most, the best one first."""
        raise NotImplementedError(f"{type(self).__name__} has no `get_top_k`")

    def get_all_tuning_records(self) -> list[TuningRecord]:
        """All records."""
        raise NotImplementedError(f"{type(self).__name__} has no `get_all_tuning_records`")

    def __len__(self) -> int:
        return len(self.get_all_tuning_records())

    def query_tuning_record(
        self, mod: IRModule, target: Target | str, workload_name: str | None = None
    ) -> TuningRecord | None:
        """The best record of a function."""
        if not self.has_workload(mod):
            return None
        found = self.get_top_k(self.commit_workload(mod), 1)
        return found[0] if found else None

    def query_schedule(self, mod: IRModule, target: Target | str, workload_name: str | None = None) -> Schedule | None:
        """The schedule of the best record of a function."""
        record = self.query_tuning_record(mod, target, workload_name)
        if record is None:
            return None
        sch = Schedule(record.workload.mod)
        record.trace.apply_to_schedule(sch)
        return sch

    def query_ir_module(self, mod: IRModule, target: Target | str, workload_name: str | None = None) -> IRModule | None:
        """The module that the best record of a function makes."""
        sch = self.query_schedule(mod, target, workload_name)
        return None if sch is None else sch.mod

    def query(
        self, mod: IRModule, target: Target | str, *, workload_name: str | None = None, kind: str = "schedule"
    ) -> Any:
        """The best record of a function, or what it makes: `kind` is "schedule", "record" or "ir_module"."""
        ways = {
            "schedule": self.query_schedule,
            "record": self.query_tuning_record,
            "ir_module": self.query_ir_module,
        }
        if kind not in ways:
            raise ValueError(f"expected a kind of schedule, record or ir_module, found {kind!r}")
        return ways[kind](mod, target, workload_name)

    def dump_pruned(self, destination: Database) -> None:
        """Writes the best record of each function into another database."""
        seen: dict[Workload, None] = {record.workload: None for record in self.get_all_tuning_records()}
        for workload in seen:
            for record in self.get_top_k(workload, 1):
                destination.commit_tuning_record(record._of(destination.commit_workload(workload.mod)))

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])

    @staticmethod
    def current() -> Database | None:
        """The database of the innermost `with`."""
        stack = _stack.get()
        return stack[-1] if stack else None

    @staticmethod
    def create(kind: str | Callable[[Schedule], Any] = "json", *args: Any, **kwargs: Any) -> Database:
        """A database by its kind: "json", "memory", "union", "ordered_union", or a function that schedules."""
        if callable(kind):
            return ScheduleFnDatabase(kind, *args, **kwargs)
        kinds: dict[str, Callable[..., Database]] = {
            "json": JSONDatabase,
            "memory": MemoryDatabase,
            "union": UnionDatabase,
            "ordered_union": OrderedUnionDatabase,
        }
        if kind not in kinds:
            raise ValueError(f"expected a database of kind {', '.join(kinds)}, found {kind!r}")
        return kinds[kind](*args, **kwargs)

    def _in_core(self) -> _core.TuningDatabase:
        """The records as the core has them."""
        copy = MemoryDatabase()
        for record in self.get_all_tuning_records():
            copy.commit_tuning_record(record)
        return copy._db


#: Databases of one's own are classes below this one.
PyDatabase = Database

create = Database.create


class _CoreDatabase(Database):
    """A database that the core keeps."""

    def __init__(self, db: _core.TuningDatabase, module_equality: str) -> None:
        check_equality(module_equality)
        self._db = db

    def has_workload(self, mod: IRModule) -> bool:
        """Whether a function, or one like it, is there."""
        return self._db.key_of(main_of(mod)) is not None

    def commit_workload(self, mod: IRModule) -> Workload:
        """Adds a function, unless it is there."""
        self._db.commit_workload(main_of(mod))
        return Workload(mod)

    def commit_tuning_record(self, record: TuningRecord) -> None:
        """Adds a record."""
        key = self._db.commit_workload(record.workload.mod["main"])
        machine = "" if record.target is None else _core.machine_name(record.target)
        runs = record._runs or [([], record.run_secs or [], [])]
        self._db.commit((key, machine, record.trace.as_python(), runs))

    def get_top_k(self, workload: Workload, top_k: int) -> list[TuningRecord]:
        """The best records of a function, so many at most, the best one first."""
        if top_k < 0:
            raise TVMError(f"expected the number of records, found {top_k}")
        key = self._db.key_of(workload.mod["main"])
        if key is None:
            return []
        return list(islice(self._records(workload, self._db.top(key, None, len(self))), top_k))

    def query_tuning_record(
        self, mod: IRModule, target: Target | str, workload_name: str | None = None
    ) -> TuningRecord | None:
        """The best record of a function: of one machine like the target, else of any."""
        key = self._db.key_of(main_of(mod))
        if key is None:
            return None
        machine = _core.machine_name(Target.choose(target))
        found = [*self._db.top(key, machine, len(self)), *self._db.top(key, None, len(self))]
        return next(self._records(Workload(mod), found), None)

    def get_all_tuning_records(self) -> list[TuningRecord]:
        """All records."""
        workloads = {key: Workload(as_module(self._db.function(key))) for key in self._db.keys()}  # noqa: SIM118
        return [record for parts in self._db.records() for record in self._records(workloads[parts[0]], [parts])]

    def __len__(self) -> int:
        return len(self._db.records())

    def _records(self, workload: Workload, found: Iterable[Any]) -> Iterator[TuningRecord]:
        """The records whose traces apply to the function; others, which a file may hold, are passed over."""
        for _, machine, lines, runs in found:
            sch = Schedule(workload.mod)
            sch._know_intrinsics()
            try:
                sch._apply(lines)
            except TVMError:
                continue
            seconds = [sum(parts) for parts in zip(*(seconds for _, seconds, _ in runs), strict=False)]
            record = TuningRecord(sch.trace, workload, seconds or None, Target(machine) if machine else None)
            record._runs = runs
            yield record

    def _in_core(self) -> _core.TuningDatabase:
        return self._db


def check_equality(module_equality: str) -> None:
    if module_equality not in ("structural", "ignore-ndarray", "anchor-block"):
        raise ValueError(f"expected structural, ignore-ndarray or anchor-block, found {module_equality!r}")
    if module_equality == "anchor-block":
        raise TVMError("functions are compared whole: module_equality is `structural`")


class MemoryDatabase(_CoreDatabase):
    """A database that ends with its process."""

    def __init__(self, module_equality: str = "structural") -> None:
        super().__init__(_core.TuningDatabase(), module_equality)


class JSONDatabase(_CoreDatabase):
    """A database in two files of JSON lines, which may be there already; they are written as records come."""

    def __init__(
        self,
        path_workload: str | os.PathLike[str] | None = None,
        path_tuning_record: str | os.PathLike[str] | None = None,
        *,
        work_dir: str | os.PathLike[str] | None = None,
        allow_missing: bool = True,
        module_equality: str = "structural",
    ) -> None:
        if work_dir is not None:
            os.makedirs(work_dir, exist_ok=True)
            path_workload = path_workload or os.path.join(work_dir, "database_workload.json")
            path_tuning_record = path_tuning_record or os.path.join(work_dir, "database_tuning_record.json")
        if path_workload is None or path_tuning_record is None:
            raise ValueError("give `path_workload` and `path_tuning_record`, or `work_dir`")
        paths = [os.fspath(path_workload), os.fspath(path_tuning_record)]
        for path in paths:
            if not os.path.exists(path):
                if not allow_missing:
                    raise ValueError(f"there is no file {path}")
                with open(path, "a", encoding="utf-8"):
                    pass
        self.path_workload, self.path_tuning_record = paths
        super().__init__(_core.TuningDatabase(*paths), module_equality)


class UnionDatabase(Database):
    """Several databases of which the one with the best record answers; it takes no records."""

    def __init__(self, *databases: Database) -> None:
        self.databases = list(databases)

    def query_tuning_record(
        self, mod: IRModule, target: Target | str, workload_name: str | None = None
    ) -> TuningRecord | None:
        """The best record of a function."""
        found = [database.query_tuning_record(mod, target, workload_name) for database in self.databases]
        return min((record for record in found if record is not None), key=TuningRecord._cost, default=None)

    def has_workload(self, mod: IRModule) -> bool:
        """Whether a function, or one like it, is there."""
        return any(database.has_workload(mod) for database in self.databases)

    def get_top_k(self, workload: Workload, top_k: int) -> list[TuningRecord]:
        """The best records of a function, so many at most, the best one first."""
        known = [database for database in self.databases if database.has_workload(workload.mod)]
        found = [record for database in known for record in database.get_top_k(workload, top_k)]
        return sorted(found, key=TuningRecord._cost)[:top_k]

    def get_all_tuning_records(self) -> list[TuningRecord]:
        """All records."""
        return [record for database in self.databases for record in database.get_all_tuning_records()]

    def commit_workload(self, mod: IRModule) -> Workload:
        """Adds a function, unless it is there."""
        raise TVMError(f"{type(self).__name__} takes no workloads: add them to one of its databases")

    def commit_tuning_record(self, record: TuningRecord) -> None:
        """Adds a record."""
        raise TVMError(f"{type(self).__name__} takes no records: add them to one of its databases")


class OrderedUnionDatabase(UnionDatabase):
    """Several databases of which the first one that knows the function answers."""

    def query_tuning_record(
        self, mod: IRModule, target: Target | str, workload_name: str | None = None
    ) -> TuningRecord | None:
        """The best record of a function."""
        found = (database.query_tuning_record(mod, target, workload_name) for database in self.databases)
        return next((record for record in found if record is not None), None)


class ScheduleFnDatabase(MemoryDatabase):
    """A database whose answer for a function is what a function of one's own makes of a schedule, if that says yes."""

    def __init__(self, schedule_fn: Callable[[Schedule], bool | None], module_equality: str = "structural") -> None:
        super().__init__(module_equality)
        self.schedule_fn = schedule_fn

    def has_workload(self, mod: IRModule) -> bool:
        """Whether a function, or one like it, is there."""
        return True

    def query_tuning_record(
        self, mod: IRModule, target: Target | str, workload_name: str | None = None
    ) -> TuningRecord | None:
        """The best record of a function."""
        sch = self.query_schedule(mod, target, workload_name)
        return None if sch is None else TuningRecord(sch.trace, Workload(mod), None, target)

    def query_schedule(self, mod: IRModule, target: Target | str, workload_name: str | None = None) -> Schedule | None:
        """The schedule of the best record of a function."""
        sch = Schedule(normalize_mod(mod))
        return sch if self.schedule_fn(sch) else None
