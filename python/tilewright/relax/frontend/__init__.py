"""Front ends: models as Python modules (`nn`) and from other frameworks. Each is imported on first use."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["detach_params", "nn"]


def detach_params(mod: Any) -> tuple[Any, dict[str, list[Any]]]:
    """The module without the values of the parameters that its functions take as inputs, and these values by the
    names of the functions, in the order of the inputs: what `keep_params_as_input` of the importers has put there."""
    from ... import IRModule

    detached, params = IRModule(), {}
    for name, function in mod.functions.items():
        if "params" in (function.attrs or {}):
            params[name.name_hint] = list(function.attrs["params"])
            function = function.without_attr("params")
        detached[name] = function
    return detached, params


def __getattr__(name: str) -> Any:
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return import_module(f".{name}", __name__)
