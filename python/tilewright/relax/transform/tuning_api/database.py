"""Records of traces and of how they ran, in memory or in files of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ....ir.base import load_json, save_json, structural_equal, structural_hash
from ....ir.module import IRModule
from ....target import Target
from .primitives import Trace

__all__ = ["Database", "JSONDatabase", "TuningRecord", "Workload"]


class Workload:
    """A module of a database; equal by structure."""

    def __init__(self, mod: IRModule) -> None:
        self.mod, self._hash = mod, structural_hash(mod)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Workload) and self._hash == other._hash and structural_equal(self.mod, other.mod)

    def __hash__(self) -> int:
        return hash(self._hash)


class TuningRecord:
    """A trace, and the seconds of its runs."""

    def __init__(self, trace: Trace, run_secs: Sequence[float] | None) -> None:
        self.trace, self.run_secs = trace, None if run_secs is None else [float(one) for one in run_secs]

    def as_json(self, include_irmod: bool = False) -> list[Any]:
        """The record as plain data, with the trace's module or without it."""
        return [self.trace.as_json(include_irmod), self.run_secs]

    @staticmethod
    def from_json(json_obj: Sequence[Any]) -> TuningRecord:
        """The record of such data."""
        return TuningRecord(Trace.from_json(json_obj[0]), json_obj[1])


class Database:
    """Records by module and target."""

    def __init__(self) -> None:
        self._workloads: list[Workload] = []
        self._tuned: dict[tuple[int, str], list[TuningRecord]] = {}
        self._measured: dict[tuple[int, str], list[float]] = {}

    def _key(self, workload: Workload, target: Target) -> tuple[int, str]:
        return self._workloads.index(workload), str(target)

    def has_workload(self, mod: IRModule) -> bool:
        """Whether the module is known."""
        return Workload(mod) in self._workloads

    def commit_workload(self, mod: IRModule) -> Workload:
        """The module in the database, added where it is not known."""
        made = Workload(mod)
        if made not in self._workloads:
            self._workloads.append(made)
        return self._workloads[self._workloads.index(made)]

    def has_tuning_record(self, workload: Workload, target: Target) -> bool:
        """Whether a trace of the module is recorded."""
        return workload in self._workloads and self._key(workload, target) in self._tuned

    def has_measurement_record(self, workload: Workload, target: Target) -> bool:
        """Whether times of the module are recorded."""
        return workload in self._workloads and self._key(workload, target) in self._measured

    def commit_tuning_record(self, workload: Workload, target: Target, record: TuningRecord) -> None:
        """Adds a trace."""
        self._tuned.setdefault(self._key(workload, target), []).append(record)

    def commit_measurement_record(self, workload: Workload, target: Target, run_secs: Sequence[float]) -> None:
        """Adds times."""
        self._measured[self._key(workload, target)] = [float(one) for one in run_secs]

    def get_measurement_record(self, workload: Workload, target: Target) -> list[float] | None:
        """The times of the module, or None."""
        known = workload in self._workloads
        return self._measured.get(self._key(workload, target)) if known else None

    def get_top_k(self, workload: Workload, target: Target, top_k: int) -> list[TuningRecord]:
        """The fastest traces of the module."""
        found = self._tuned.get(self._key(workload, target), []) if workload in self._workloads else []
        timed = [record for record in found if record.run_secs]
        return sorted(timed, key=lambda record: sum(record.run_secs) / len(record.run_secs))[:top_k]


class JSONDatabase(Database):
    """The same, with every record as a line of a file: files that are there are read first."""

    def __init__(
        self,
        path_workload: str | PathLike[str],
        path_tuning_record: str | PathLike[str],
        path_measurement_record: str | PathLike[str],
    ) -> None:
        super().__init__()
        self._paths = [Path(path) for path in (path_workload, path_tuning_record, path_measurement_record)]
        for line in self._lines(0):
            super().commit_workload(load_json(line))
        for index, target, record in map(json.loads, self._lines(1)):
            super().commit_tuning_record(self._workloads[index], target, TuningRecord.from_json(record))
        for index, target, run_secs in map(json.loads, self._lines(2)):
            super().commit_measurement_record(self._workloads[index], target, run_secs)

    def _lines(self, which: int) -> list[Any]:
        path = self._paths[which]
        text = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in text] if which == 0 else text

    def _append(self, which: int, value: Any) -> None:
        with self._paths[which].open("a", encoding="utf-8") as file:
            file.write(json.dumps(value) + "\n")

    def commit_workload(self, mod: IRModule) -> Workload:
        """The module in the database, added where it is not known."""
        is_new = not self.has_workload(mod)
        made = super().commit_workload(mod)
        if is_new:
            self._append(0, save_json(mod))
        return made

    def commit_tuning_record(self, workload: Workload, target: Target, record: TuningRecord) -> None:
        """Adds a trace."""
        super().commit_tuning_record(workload, target, record)
        self._append(1, [*self._key(workload, target), record.as_json(include_irmod=True)])

    def commit_measurement_record(self, workload: Workload, target: Target, run_secs: Sequence[float]) -> None:
        """Adds times."""
        super().commit_measurement_record(workload, target, run_secs)
        self._append(2, [*self._key(workload, target), [float(one) for one in run_secs]])
