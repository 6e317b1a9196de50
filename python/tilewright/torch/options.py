"""What `mode` and `options` of `torch.compile` may say."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..error import TVMError

#: The values of the options that are one of several words.
_WORDS = {"training": ("eager", "detached")}
#: Modes that PyTorch documents and that have no meaning here, and what to do instead.
_OTHER_MODES = {
    "reduce-overhead": "it asks for graphs of CUDA",
    "max-autotune": "tune with `tilewright.meta_schedule` and give the database's pass as `options={'pipeline': …}`",
    "max-autotune-no-cudagraphs": "tune with `tilewright.meta_schedule` and give the database's pass as "
    "`options={'pipeline': …}`",
}


@dataclass(frozen=True)
class Options:
    """The options of one call of `torch.compile`; the backend's documentation says what they mean."""

    target: Any = None
    pipeline: Any = None
    training: str = "eager"
    fallback: bool = True
    custom_convert_map: Mapping[Any, Callable[..., Any]] = field(default_factory=dict)


def checked(mode: str | None, options: Mapping[str, Any] | None) -> Options:
    """The options, if all of them are known and have values of their kind."""
    if mode not in (None, "default"):
        instead = _OTHER_MODES.get(str(mode))
        raise TVMError(
            f'the mode of the backend "tilewright" is "default", found {mode!r}' + (f": {instead}" if instead else "")
        )
    if options is not None and not isinstance(options, Mapping):
        raise TVMError(f'`options` of the backend "tilewright" is a dict, found {type(options).__name__}')
    known = list(Options.__dataclass_fields__)
    for key, value in (options or {}).items():
        if key not in known:
            [nearest] = difflib.get_close_matches(str(key), known, 1) or [""]
            hint = f"; did you mean `{nearest}`?" if nearest else ""
            raise TVMError(
                f'the backend "tilewright" has no option `{key}`, but {", ".join(f"`{one}`" for one in known)}{hint}'
            )
        _check_value(key, value)
    found = Options(**(options or {}))
    return replace(found, pipeline=None) if found.pipeline == "default" else found


def _check_value(key: str, value: Any) -> None:
    """Raises an error where a value is not of its option's kind."""
    words = _WORDS.get(key)
    if words is not None and value not in words:
        expected = " or ".join(f'"{word}"' for word in words)
        raise TVMError(f"the option `{key}` is {expected}, found {value!r}")
    if key == "fallback" and not isinstance(value, bool):
        raise TVMError(f"the option `fallback` is a bool, found {value!r}")
    if key == "custom_convert_map" and not (isinstance(value, Mapping) and all(map(callable, value.values()))):
        raise TVMError(f"the option `custom_convert_map` is a dict of functions, found {value!r}")
    if key == "pipeline" and isinstance(value, str) and value != "default":
        from ..relax import get_pipeline

        get_pipeline(value)
    if key == "target" and value is not None:
        from ..target import Target

        Target(value)
