"""What each graph operator computes, in NumPy's or PyTorch's words, with samples of its arguments.

A family has a file with its entries, and a name in the list below.
"""

from __future__ import annotations

from . import attention, basic, layers, moved, search, vision
from .sampling import Reference, Sample

FAMILIES = [
    basic,
    moved,
    layers,
    vision,
    search,
    attention,
]

REFERENCES: dict[str, Reference] = {name: own for family in FAMILIES for name, own in family.REFERENCES.items()}

__all__ = ["REFERENCES", "Reference", "Sample"]
