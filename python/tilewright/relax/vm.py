"""The virtual machine and what it runs."""

from enum import IntEnum

from .._core import Executable, VirtualMachine
from .vm_build import build

__all__ = ["Executable", "VMExecutable", "VMInstrumentReturnKind", "VirtualMachine", "build"]

# The later name of the class.
VMExecutable = Executable


class VMInstrumentReturnKind(IntEnum):
    """What an instrument answers before a call: to make it, or to leave it out."""

    NO_OP = 0
    SKIP_RUN = 1
