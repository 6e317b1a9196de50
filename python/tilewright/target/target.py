"""The target, and the one in scope."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any, Self

from .. import _core
from ..error import TVMError, WrongTypeError
from ..runtime.device import Device
from ..runtime.device import device as device_of

__all__ = ["Target", "TargetKind"]

_stack: ContextVar[tuple[Target, ...]] = ContextVar("tilewright.target", default=())


class TargetKind(str):
    """The kind of a target: a text that also has itself as its `name`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The kind's name."""
        return str(self)


#: The options of a dict besides the words of a target string.
_BESIDE = ("kind", "host", "tag")


def _options_of_json(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TVMError(f"the JSON of a target cannot be read: {error}") from error


def text_of_options(options: dict[str, Any]) -> str:
    """The target string of a dict such as `{"kind": "llvm", "mcpu": "haswell"}`."""
    words = {"kind": str(options.get("kind", "llvm"))}
    for name, value in options.items():
        if name not in _BESIDE:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            words[name] = f"-{name}={text}"
    for name, word in words.items():
        if len(word.split()) > 1:
            said = word.removeprefix(f"-{name}=")
            raise TVMError(f"`{name}` of a target is given without white space, found {said!r}")
    return " ".join(words.values())


class Target(_core.Target):
    """A machine to compile for: `Target("llvm")` is this one, `Target("haswell")` and `Target("llvm -mcpu=haswell")`
    a known processor, `Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")` another architecture; a dict of
    the options does too, and so does its JSON.

    `mcpu`, `mtriple`, `features` and `attrs` say what it came to. In a `with` statement it is the target in scope, for
    whatever is built without naming one.
    """

    _host: Target | None

    def __new__(cls, target: str | dict[str, Any] | Target, host: str | dict[str, Any] | Target | None = None) -> Self:
        """The target of a string, of a dict of options, or of another target; `host` is the machine around a device."""
        if isinstance(target, str) and target.lstrip().startswith("{"):
            target = _options_of_json(target)
        options = target if isinstance(target, dict) else {}
        if isinstance(options.get("keys"), str):
            raise WrongTypeError(f"keys is a list of words, found the text {options['keys']!r}")
        host = options.get("host", getattr(target, "_host", None)) if host is None else host
        host = None if host is None else Target.choose(host)
        self = super().__new__(cls, text_of_options(target) if isinstance(target, dict) else target, host)
        self._host = host
        return self

    @property
    def host(self) -> Target | None:
        """The machine around the device, if one was named."""
        return self._host

    def with_host(self, host: str | dict[str, Any] | Target | None = None) -> Target:
        """The same target with another machine around it."""
        return Target(self, host)

    @property
    def tag(self) -> str:
        """The short name that the target was made from: there are none."""
        return ""

    @property
    def kind(self) -> TargetKind:
        """`llvm` for a processor."""
        return TargetKind(self.kind_name)

    @property
    def keys(self) -> list[str]:
        """Words for the sort of machine."""
        if (keys := self.options.get("keys")) is not None:
            return keys
        if self.kind_name != "llvm":
            return [self.kind_name, "gpu"]
        return ["arm_cpu", "cpu"] if self.mtriple.startswith(("aarch64", "arm")) else ["cpu"]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Target, (str(self), self._host))

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target in scope; where there is none: None, or an error if that is not allowed."""
        stack = _stack.get()
        if not stack and not allow_none:
            raise ValueError("no target is in scope: use `with Target(...):`")
        return stack[-1] if stack else None

    @staticmethod
    def target_or_current(target: str | dict[str, Any] | Target | None) -> Target:
        """The target that was named, else the one in scope; an error where there is neither."""
        return Target.current(allow_none=False) if target is None else Target.choose(target)

    @staticmethod
    def list_kinds() -> list[str]:
        """The kinds of targets that there are."""
        return ["cuda", "llvm"]

    @staticmethod
    def from_device(device: Device | str) -> Target:
        """The target of a device: a processor is this machine's own."""
        device = device_of(device) if isinstance(device, str) else device
        return Target("llvm" if device.device_type == 1 else "cuda")

    def get_target_device_type(self) -> int:
        """DLPack's number for the kind of device that the target's kernels run on."""
        return 1 if self.kind_name == "llvm" else 2

    def export(self) -> dict[str, Any]:
        """The target as a dict of options, of which `Target` makes it again."""
        options = self.options
        if self.kind_name == "llvm" and "mtriple" not in options:
            options = {"mtriple": self.mtriple, "mcpu": "native", **options}
        around = {} if self._host is None else {"host": self._host.export()}
        return {"kind": self.kind_name, "tag": self.tag, "keys": self.keys, **around, **options}

    @staticmethod
    def choose(target: str | dict[str, Any] | Target | None) -> Target:
        """The target that was named, else the one in scope, else this machine's processor."""
        if isinstance(target, Target):
            return target
        if target is None:
            return Target.current() or Target("llvm")
        if not isinstance(target, (str, dict)):
            raise WrongTypeError(f"expected a Target or a target string, found {type(target).__name__}")
        return Target(target)
