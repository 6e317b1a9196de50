"""Instruments: objects that watch passes. An exception that one raises comes back from whatever ran the passes."""

from __future__ import annotations

from .._core import IRModule

__all__ = ["PassInstrument", "PrintAfterAll", "PrintBeforeAll"]


class PassInstrument:
    """To be derived from. `info` is the pass's name."""

    def should_run(self, module: IRModule, info: str) -> bool:
        """Whether the pass runs at all; every instrument must agree."""
        return True

    def run_before_pass(self, module: IRModule, info: str) -> None:
        """Called with what the pass is given."""

    def run_after_pass(self, module: IRModule, info: str) -> None:
        """Called with what the pass made."""


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass."""

    def run_before_pass(self, module: IRModule, info: str) -> None:
        """Prints it."""
        print(f"# before {info}:\n{module.script()}")


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass."""

    def run_after_pass(self, module: IRModule, info: str) -> None:
        """Prints it."""
        print(f"# after {info}:\n{module.script()}")
