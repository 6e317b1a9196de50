"""Instruments: objects that watch passes. An exception that one raises comes back from whatever ran the passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from re import fullmatch
from time import perf_counter
from typing import Any

from .._core import IRModule

__all__ = [
    "DumpIR", "PassInstrument", "PassPrintingInstrument", "PassTimingInstrument", "PrintAfterAll", "PrintBeforeAll",
    "pass_instrument",
]  # fmt: skip


class PassInstrument:
    """To be derived from. `info` is the pass's name."""

    def enter_pass_ctx(self) -> None:
        """Called where the context that has the instrument begins."""

    def exit_pass_ctx(self) -> None:
        """Called where that context ends."""

    def should_run(self, mod: IRModule, info: str) -> bool:
        """Whether the pass runs at all; every instrument must agree."""
        return True

    def run_before_pass(self, mod: IRModule, info: str) -> None:
        """Called with what the pass is given."""

    def run_after_pass(self, mod: IRModule, info: str) -> None:
        """Called with what the pass made."""


def pass_instrument(pi_cls: type | None = None) -> Any:
    """Makes an instrument class of one that has any of the methods; also with parentheses."""

    def decorate(cls: type) -> type:
        return cls if issubclass(cls, PassInstrument) else type(cls.__name__, (cls, PassInstrument), {})

    return decorate if pi_cls is None else decorate(pi_cls)


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass."""

    def run_before_pass(self, mod: IRModule, info: str) -> None:
        """Prints it."""
        print(f"# before {info}:\n{mod.script()}")


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass."""

    def run_after_pass(self, mod: IRModule, info: str) -> None:
        """Prints it."""
        print(f"# after {info}:\n{mod.script()}")


class DumpIR(PassInstrument):
    """Writes the module after each pass into a folder: `000_LegalizeOps.py`, and so on in the order in which they end.

    With `refresh` the files that an earlier run left there are removed first; other files are never touched.
    """

    def __init__(self, dump_dir: str | PathLike[str], refresh: bool = False) -> None:
        self.dump_dir, self._written = Path(dump_dir), 0
        self.dump_dir.mkdir(parents=True, exist_ok=True)
        for path in self.dump_dir.iterdir() if refresh else ():
            if fullmatch(r"\d{3,}_.*\.py", path.name):
                path.unlink()

    def run_after_pass(self, mod: IRModule, info: str) -> None:
        """Writes it."""
        name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in info)
        (self.dump_dir / f"{self._written:03d}_{name}.py").write_text(mod.script(show_meta=True), encoding="utf-8")
        self._written += 1


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the passes of these names."""

    def __init__(
        self, print_before_pass_names: list[str] | None = None, print_after_pass_names: list[str] | None = None
    ) -> None:
        self.before, self.after = list(print_before_pass_names or []), list(print_after_pass_names or [])

    def run_before_pass(self, mod: IRModule, info: str) -> None:
        """Prints it where the pass is named."""
        if info in self.before:
            print(f"# before {info}:\n{mod.script()}")

    def run_after_pass(self, mod: IRModule, info: str) -> None:
        """Prints it where the pass is named."""
        if info in self.after:
            print(f"# after {info}:\n{mod.script()}")


@dataclass
class _Timed:
    """A pass that runs or ran, with those that it ran itself."""

    name: str
    start: float
    seconds: float = 0.0
    inner: list[_Timed] = field(default_factory=list)


class PassTimingInstrument(PassInstrument):
    """Takes the time of each pass; `render()`, before the context ends, is a table of it."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.clock = clock
        self._open: list[_Timed] = [_Timed("all", 0.0)]

    def enter_pass_ctx(self) -> None:
        """Begins anew."""
        self._open = [_Timed("all", self.clock())]

    def run_before_pass(self, mod: IRModule, info: str) -> None:
        """Begins a pass."""
        self._open.append(_Timed(str(info), self.clock()))

    def run_after_pass(self, mod: IRModule, info: str) -> None:
        """Ends a pass."""
        done = self._open.pop()
        done.seconds = self.clock() - done.start
        self._open[-1].inner.append(done)

    def render(self) -> str:
        """A line for each pass, in the order in which they ran, indented by which pass ran it."""
        total = sum(timed.seconds for timed in self._open[0].inner)
        lines: list[str] = []

        def add(timed: _Timed, depth: int) -> None:
            microseconds = timed.seconds * 1e6
            share = 100 * timed.seconds / total if total else 100.0
            lines.append(f"{'  ' * depth}{timed.name}: {microseconds:.0f}us ({share:.2f}%)")
            for inner in timed.inner:
                add(inner, depth + 1)

        for timed in self._open[0].inner:
            add(timed, 0)
        return "\n".join(lines)
