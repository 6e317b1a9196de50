"""The virtual machine, by the name that programs import it from."""

from ..relax.vm import VirtualMachine, VMInstrumentReturnKind

__all__ = ["VMInstrumentReturnKind", "VirtualMachine"]
