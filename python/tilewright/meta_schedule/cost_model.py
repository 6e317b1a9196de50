"""The cost model of the search."""

from __future__ import annotations

import warnings
from typing import Any

from ..error import TVMError

__all__ = ["CostModel"]


class CostModel:
    """Boosted stumps that are learned from the measurements of each task: there is one model, under all names."""

    def __init__(self, kind: str = "xgb") -> None:
        self.kind = kind

    @staticmethod
    def create(kind: str = "xgb", *args: Any, **kwargs: Any) -> CostModel:
        """The model; `kind` is "xgb", "mlp", "random" or "none"."""
        if kind not in ("xgb", "mlp", "random", "none"):
            raise ValueError(f"expected a cost model called xgb, mlp, random or none, found {kind!r}")
        return CostModel(kind)


def check_model(model: Any) -> None:
    """Raises for a model that the search cannot use, and warns of one that it replaces."""
    if isinstance(model, str):
        CostModel.create(model)
    elif type(model) is not CostModel:
        raise TVMError(f"the search has a cost model of its own: expected a name, found {type(model).__name__}")
    kind = model if isinstance(model, str) else model.kind
    if kind != "xgb":
        warnings.warn(
            f"the cost model {kind!r} has no effect: the search learns its own, under all names", stacklevel=4
        )
