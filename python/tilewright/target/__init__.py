"""What is compiled for."""

from .target import Target, TargetKind

__all__ = ["Target", "TargetKind"]
