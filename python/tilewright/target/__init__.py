"""What is compiled for."""

from .target import Target

__all__ = ["Target"]
