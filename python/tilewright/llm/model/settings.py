"""Settings of a model, as `config.json` has them: read with checks, because a model's folder comes from anywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...error import TVMError

__all__ = ["Settings"]

#: The greatest sizes that are believed; what they take together is compared with the tensors that are there.
MAX_SIZE = 1 << 22
MAX_LAYERS = 1 << 10


class Settings(Mapping[str, Any]):
    """A JSON object of settings. `file` names it in messages; a name may have `aliases` in older files.

    A setting that is null counts as absent.
    """

    def __init__(
        self, values: Mapping[str, Any], file: str = "config.json", aliases: Mapping[str, str] | None = None
    ) -> None:
        if not isinstance(values, Mapping):
            raise TVMError(f"{file}: expected an object of settings, found {_said(values)}")
        self.values_by_name, self.file = dict(values), file
        self._aliases = dict(aliases or {})

    def __getitem__(self, name: str) -> Any:
        return self.values_by_name[name]

    def __iter__(self) -> Any:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def aliased(self, aliases: Mapping[str, str]) -> Settings:
        """The same settings, some of which are also looked up by another name."""
        return Settings(self.values_by_name, self.file, {**self._aliases, **aliases})

    def raw(self, name: str) -> Any:
        """A setting as it is, or None."""
        value = self.values_by_name.get(name)
        return self.values_by_name.get(self._aliases.get(name, name)) if value is None else value

    def wrong(self, name: str, expected: str) -> TVMError:
        """An error that says what a setting should be."""
        shown = name if self.values_by_name.get(name) is not None else self._aliases.get(name, name)
        if self.raw(name) is None:
            return TVMError(f"{self.file}: missing `{name}`: expected {expected}")
        return TVMError(f"{self.file}: `{shown}`: expected {expected}, found {_said(self.raw(name))}")

    def integer(self, name: str, default: int | None = None, least: int = 1, most: int = MAX_SIZE) -> int:
        """An integer of a range; without a default it must be there."""
        value = self.raw(name)
        if value is None and default is not None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.wrong(name, f"an integer from {least} to {most}")
        return value

    def number(self, name: str, default: float | None = None, least: float = 0.0, most: float = 1e30) -> float:
        """A number of a range; without a default it must be there."""
        value = self.raw(name)
        if value is None and default is not None:
            return default
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not least <= value <= most:
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text; without a default it must be there."""
        value = self.raw(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(name, "a text")
        return value

    def choice(self, name: str, choices: Mapping[str, Any], default: str) -> Any:
        """What a text stands for."""
        value = self.text(name, default)
        if value not in choices:
            raise self.wrong(name, f"one of {', '.join(sorted(choices))}")
        return choices[value]

    def numbers(self, name: str, length: int) -> tuple[float, ...]:
        """A list of so many numbers above 0."""
        value = self.raw(name)
        listed = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == length
        if not listed or not all(_is_positive(item) for item in value):
            raise self.wrong(name, f"{length} numbers above 0")
        return tuple(map(float, value))

    def per_layer(self, name: str, layers: int) -> Sequence[Any] | None:
        """A list with an entry for each layer, if it is there."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) < layers:
            raise self.wrong(name, f"a list of {layers} entries, one for each layer")
        return value[:layers]

    def within(self, name: str) -> Settings:
        """An object among the settings; empty where it is absent."""
        value = self.raw(name)
        if value is None:
            return Settings({}, f"{self.file}, `{name}`")
        if not isinstance(value, Mapping):
            raise self.wrong(name, "an object")
        return Settings(value, f"{self.file}, `{name}`")


def _is_positive(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0


def _said(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
