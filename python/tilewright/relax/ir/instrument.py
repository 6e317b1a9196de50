"""Instruments for passes on graphs."""

from __future__ import annotations

from typing import Any

from ..._core import IRModule
from ...error import CheckFailedError
from ...ir.instrument import PassInstrument
from ..analysis import faults

__all__ = ["WellFormedInstrument"]


class WellFormedInstrument(PassInstrument):
    """Stops where a pass makes a module that the verifier does not accept, or, with `validate_before_transform`, where
    one is given.

    The error is an `AssertionError` too. The passes of `skip_pass_name` may be given modules that are not normal yet.
    `check_struct_info` is accepted: expressions have the struct infos of their rules from the start.
    """

    def __init__(self, check_struct_info: bool = True, validate_before_transform: bool = True) -> None:
        self.skip_pass_name = ["Normalize", "NormalizeGlobalVar", "ResolveGlobals"]
        self.check_struct_info = check_struct_info
        self.validate_before_transform = validate_before_transform

    def run_before_pass(self, mod: IRModule, pass_info: Any) -> None:
        """Looks at what the pass is given."""
        if self.validate_before_transform:
            self._look(mod, pass_info, "before")

    def run_after_pass(self, mod: IRModule, pass_info: Any) -> None:
        """Looks at what the pass made."""
        self._look(mod, pass_info, "after")

    def _look(self, module: IRModule, info: Any, when: str) -> None:
        name = getattr(info, "name", info)
        if name not in self.skip_pass_name and (found := faults(module)):
            raise CheckFailedError(f"the module is not well-formed {when} {name}:\n" + "\n".join(found))
