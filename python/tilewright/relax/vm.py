"""The virtual machine and what it runs."""

from .._core import Executable, VirtualMachine
from .vm_build import build

__all__ = ["Executable", "VirtualMachine", "build"]
