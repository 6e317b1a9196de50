"""Instruments for passes on graphs."""

from __future__ import annotations

from ..._core import IRModule
from ...error import TVMError
from ...ir.instrument import PassInstrument
from ..analysis import faults

__all__ = ["WellFormedInstrument"]


class WellFormedInstrument(PassInstrument):
    """Stops where a pass is given, or makes, a module that the verifier does not accept."""

    def __init__(self, check_struct_info: bool = True) -> None:
        self.check_struct_info = check_struct_info

    def run_before_pass(self, module: IRModule, info: str) -> None:
        """Looks at what the pass is given."""
        self._look(module, f"before {info}")

    def run_after_pass(self, module: IRModule, info: str) -> None:
        """Looks at what the pass made."""
        self._look(module, f"after {info}")

    def _look(self, module: IRModule, when: str) -> None:
        if found := faults(module):
            raise TVMError(f"the module is not well-formed {when}:\n" + "\n".join(found))
