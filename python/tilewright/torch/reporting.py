"""What the backend did: graphs, what of them is compiled, what is left to PyTorch and why, and how often each ran."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

#: Reasons and operators that the text names of each graph; the object has all of them.
_MOST_LINES = 12


@dataclass
class Left:
    """An operator that PyTorch runs."""

    operator: str
    reason: str
    #: File and line of the model, where PyTorch knows them.
    place: str = ""


@dataclass
class NativePart:
    """A sub-graph that is compiled."""

    operators: list[str]
    #: Bytes of results and inputs that were copied, because they shared memory or were not contiguous.
    copied_bytes: int = 0


@dataclass
class GraphReport:
    """One graph that TorchDynamo captured."""

    number: int
    #: The function that it is a part of, with file and line, and PyTorch's number for this compilation, such as `0/1`.
    frame: str = ""
    compile_id: str = ""
    #: The model's name, as `torch.compile(name=…)` has it.
    name: str = ""
    parts: list[NativePart] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    #: Why all of the graph is left to PyTorch; empty where it is not.
    eager: str = ""
    #: Whether gradients flow through the graph.
    trains: bool = False
    #: Why the graph ends before the function does; empty where it does not.
    graph_break: str = ""
    #: The symbolic sizes and their bounds.
    sizes: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    compile_seconds: float = 0.0
    calls: int = 0

    @property
    def is_recompilation(self) -> bool:
        """Whether the same code was compiled before, for other inputs."""
        return self.compile_id.rpartition("/")[2].partition("_")[0] not in ("", "0")

    @property
    def recompile_reason(self) -> str:
        """The guard that failed, as PyTorch tells it; empty for the first compilation."""
        return _reasons().get(self.compile_id, "") if self.is_recompilation else ""

    @property
    def native_operators(self) -> int:
        """How many operators are compiled."""
        return sum(len(part.operators) for part in self.parts)

    def _lines(self) -> Iterator[str]:
        title = " ".join(filter(None, [f"graph {self.number}", self.compile_id, self.name, self.frame]))
        yield f"{title}: {self.calls} calls, compiled in {self.compile_seconds:.2f} s"
        if self.eager:
            yield f"  left to PyTorch: {self.eager}"
        else:
            parts = "1 sub-graph" if len(self.parts) == 1 else f"{len(self.parts)} sub-graphs"
            yield f"  compiled: {self.native_operators} operators in {parts}; left to PyTorch: {len(self.left)}"
        for symbol, (low, high) in self.sizes.items():
            yield f"  size {symbol}: from {low}" + ("" if high is None else f" to {high}")
        reasons = Counter((one.operator, one.reason, one.place) for one in self.left)
        for (operator, reason, place), count in reasons.most_common(_MOST_LINES):
            times = f" ({count} times)" if count > 1 else ""
            yield f"  left: {operator}{times}: {reason}" + (f" at {place}" if place else "")
        if len(reasons) > _MOST_LINES:
            yield f"  left: {len(reasons) - _MOST_LINES} more"
        if self.is_recompilation:
            yield f"  recompiled: {self.recompile_reason or 'PyTorch keeps no reason'}"
        if self.graph_break:
            yield f"  graph break: {self.graph_break}"
        copied = sum(part.copied_bytes for part in self.parts)
        if copied:
            yield f"  copied: {copied} bytes of inputs that were not contiguous and of results that share memory"


@dataclass
class Report:
    """What the backend did since the process began or `reset` was called."""

    graphs: list[GraphReport] = field(default_factory=list)

    @property
    def recompilations(self) -> int:
        """Graphs of code that had been compiled before, for other inputs."""
        return sum(graph.is_recompilation for graph in self.graphs)

    @property
    def graph_breaks(self) -> int:
        """Graphs that end before their function does."""
        return sum(bool(graph.graph_break) for graph in self.graphs)

    @property
    def training_graphs(self) -> int:
        """Graphs through which gradients flow."""
        return sum(graph.trains for graph in self.graphs)

    @property
    def native_operators(self) -> int:
        """Operators that are compiled."""
        return sum(graph.native_operators for graph in self.graphs)

    @property
    def fallbacks(self) -> Counter[tuple[str, str]]:
        """How many operators are left to PyTorch, by operator and reason."""
        return Counter((one.operator, one.reason) for graph in self.graphs for one in graph.left)

    def __str__(self) -> str:
        eager = sum(bool(graph.eager) for graph in self.graphs)
        first = (
            f"{len(self.graphs)} graphs ({self.recompilations} recompilations, {self.graph_breaks} graph breaks, "
            f"{eager} left to PyTorch whole, {self.training_graphs} of them trained); "
            f"{self.native_operators} operators compiled, {sum(self.fallbacks.values())} left to PyTorch"
        )
        return "\n".join([first, *(line for graph in self.graphs for line in graph._lines())])


_LOCK = threading.Lock()
_REPORT = Report()


def report() -> Report:
    """What the backend did: its text is for reading, its fields are for programs."""
    return _REPORT


def reset() -> None:
    """Forgets the graphs so far. Functions that are compiled stay so, and their calls are no longer counted."""
    with _LOCK:
        _REPORT.graphs.clear()


def begun(name: str | None, frame: str, compile_id: str) -> GraphReport:
    """The report of a graph that is about to be compiled."""
    with _LOCK:
        number = _REPORT.graphs[-1].number + 1 if _REPORT.graphs else 0
        _REPORT.graphs.append(GraphReport(number, frame, compile_id, name or ""))
        return _REPORT.graphs[-1]


def forget(graph: GraphReport) -> None:
    """Takes back the report of a graph that PyTorch captures again."""
    with _LOCK:
        if graph in _REPORT.graphs:
            _REPORT.graphs.remove(graph)


def called(graph: GraphReport) -> None:
    """Counts a call."""
    with _LOCK:
        graph.calls += 1


def copied(part: NativePart, count: int) -> None:
    """Counts bytes that were copied."""
    with _LOCK:
        part.copied_bytes += count


def _reasons() -> dict[str, str]:
    """Why PyTorch compiled again, by its numbers of compilations."""
    from torch._dynamo.utils import get_compilation_metrics

    found: dict[str, Any] = {}
    for metrics in get_compilation_metrics():
        reason = getattr(metrics, "recompile_reason", None)
        if metrics.compile_id is not None and reason:
            found[str(metrics.compile_id)] = " ".join(str(reason).split())
    return found
