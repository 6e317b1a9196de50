"""What is compiled for."""

from . import codegen
from .target import Target, TargetKind

__all__ = ["Target", "TargetKind", "codegen"]
