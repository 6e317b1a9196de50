"""Rules of the user's own for what operators become."""

from . import common

__all__ = ["common"]
