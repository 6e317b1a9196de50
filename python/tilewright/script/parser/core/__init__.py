"""What scripts are read from. They are read by the core, which has no Python classes for their syntax."""

from . import diagnostics

__all__ = ["diagnostics"]
