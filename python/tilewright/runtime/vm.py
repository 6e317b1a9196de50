"""The virtual machine: the one of graphs."""

from ..relax.vm import VirtualMachine, VMInstrumentReturnKind

__all__ = ["VMInstrumentReturnKind", "VirtualMachine"]
