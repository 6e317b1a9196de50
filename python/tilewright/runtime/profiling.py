"""What `VirtualMachine.profile` gives."""

from .._core import Report

__all__ = ["Report"]
