"""Profiling: the virtual machine itself does it (`profile=True`)."""

from ..relax.vm import VirtualMachine

__all__ = ["VirtualMachineProfiler", "enabled"]

VirtualMachineProfiler = VirtualMachine


def enabled() -> bool:
    """Whether profiling is there."""
    return True
