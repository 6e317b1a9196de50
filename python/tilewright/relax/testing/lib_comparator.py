"""Comparing two implementations of the functions that a machine calls."""

from __future__ import annotations

from typing import Any

from ...runtime import Device
from ..vm import VirtualMachine, VMInstrumentReturnKind

__all__ = ["LibCompareVMInstrument"]


class LibCompareVMInstrument:
    """An instrument (`vm.set_instrument`) that runs each kernel's counterpart on copies, and hands both to `compare`.

    `mod` is a machine, or anything whose items are functions by name. `skip_instrument` says which calls are left out.
    """

    def __init__(self, mod: Any, device: Device, verbose: bool = True) -> None:
        self.mod, self.device, self.verbose = mod, device, verbose
        self.counter = 0

    def compare(self, name: str, ref_args: list[Any], new_args: list[Any], ret_indices: Any) -> None:
        """Looks at what both wrote; to be overridden."""
        raise NotImplementedError("a subclass says how results are compared")

    def skip_instrument(self, func: Any, name: str, before_run: bool, ret_val: Any, *args: Any) -> bool:
        """Whether a call is left alone."""
        return False

    def __call__(self, func: Any, name: str, before_run: bool, ret_val: Any, *args: Any) -> Any:
        if before_run or name.startswith("vm.builtin.") or ret_val is not None:
            return VMInstrumentReturnKind.NO_OP
        if self.skip_instrument(func, name, before_run, ret_val, *args):
            return VMInstrumentReturnKind.NO_OP
        try:
            counterpart = self.mod[name] if isinstance(self.mod, VirtualMachine) else self.mod.get_function(name, True)
        except Exception:
            if self.verbose:
                print(f"[{self.counter}] {name}: no counterpart")
            return VMInstrumentReturnKind.NO_OP
        copies = [arg.copyto(self.device) if hasattr(arg, "copyto") else arg for arg in args]
        counterpart(*copies)
        self.compare(name, list(args), copies, (len(args) - 1,))
        self.counter += 1
        return VMInstrumentReturnKind.NO_OP
