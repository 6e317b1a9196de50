"""Calls of primitives, as traces hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar

from ... import _core
from ..._core import BlockRV, LoopRV, schedule_primitives, trace_line
from ...error import TVMError
from ..expr import FloatImm, IntImm, StringImm, Var
from ..function import IndexMap

__all__ = ["Instruction", "InstructionKind"]

#: Handles, which stand for nothing but themselves: numbers that are drawn are variables.
HANDLES = (BlockRV, LoopRV, Var)

#: Parameters that are inputs of a call: handles, and values that handles may stand for. The others are attributes.
INPUTS = {"block", "loop", "block_or_loop", "scope_block", "target", "factors", "consumer_blocks", "ann_val"}
#: Parameters of which each item is an input of its own.
SPREAD = {"factors", "loops", "ordered_loops"}


class _NoSuchKind(TVMError, ValueError):
    """A name that no primitive has."""


class InstructionKind:
    """A primitive by the name that traces give it, such as `Split`."""

    _known: ClassVar[dict[str, InstructionKind]] = {}

    def __init__(self, name: str, method: str, params: Sequence[tuple[str, list[Any]]]) -> None:
        self.name, self._method = name, method
        self._names = [param.lstrip("*") for param, _ in params]

    @staticmethod
    def get(name: str) -> InstructionKind:
        """The primitive of this name."""
        if not InstructionKind._known:
            all_kinds = [InstructionKind(*primitive) for primitive in schedule_primitives()]
            InstructionKind._known.update({kind.name: kind for kind in all_kinds})
        if name not in InstructionKind._known:
            raise _NoSuchKind(f"there is no primitive `{name}`")
        return InstructionKind._known[name]

    @property
    def is_pure(self) -> bool:
        """Whether it changes nothing."""
        return self.name.startswith(("Get", "Sample"))

    @property
    def draws(self) -> bool:
        """Whether it draws what its last argument decides."""
        return self.name.startswith("Sample")

    def same_as(self, other: object) -> bool:
        """Whether it is the same primitive."""
        return self is other

    def __repr__(self) -> str:
        return f"InstructionKind({self.name!r})"

    def _split(self, args: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        """Arguments, one for each parameter, as inputs, attributes and the decision."""
        inputs: list[Any] = []
        attrs: list[Any] = []
        decision = None
        for name, arg in zip(self._names, args, strict=True):
            if name == "decision":
                decision = arg
            elif name in SPREAD:
                inputs.extend(arg)
            elif name in INPUTS:
                inputs.append(arg)
            elif name == "buffer":
                attrs += [arg[1], arg[0]]
            else:
                attrs.append(arg)
        return inputs, attrs, decision

    def _args(self, inputs: Iterable[Any], attrs: Iterable[Any], decision: Any) -> list[tuple[str, Any]]:
        """The arguments by the names of their parameters, as far as there are inputs and attributes for them."""
        left, rest = list(inputs), list(attrs)
        found: list[tuple[str, Any]] = []
        for name in self._names:
            if name == "decision":
                found.append((name, decision))
            elif name in SPREAD:
                found.append((name, left))
                left = []
            elif name in INPUTS:
                if left:
                    found.append((name, left.pop(0)))
            elif name == "buffer" and len(rest) > 1:
                index, kind = rest[0], rest[1]
                found.append((name, (_KINDS.get(kind, kind), index)))
                rest = rest[2:]
            elif rest:
                found.append((name, rest.pop(0)))
        if left or rest:
            count = len(left) + len(rest)
            raise TVMError(f"`{self.name}` has {count} arguments more than the primitive has parameters")
        return found


#: Which buffers of a block are meant, by their numbers in traces.
_KINDS = {0: "read", 1: "write"}


class Instruction:
    """A call: the handles and values that it took, its attributes, and the handles that it gave."""

    def __init__(
        self, kind: InstructionKind, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        self.kind = kind
        self.inputs, self.attrs, self.outputs = list(inputs), list(attrs), list(outputs)

    def same_as(self, other: object) -> bool:
        """Whether it is the same call of the same trace."""
        return self is other

    def _python(self, names: Mapping[Any, str], decision: Any = None) -> str:
        args = dict(self.kind._args(self.inputs, self.attrs, decision))
        texts = [text_of(args.get(name), names) for name in self.kind._names]
        return trace_line(self.kind.name, texts, [names.get(rv, "_") for rv in self.outputs])

    def __str__(self) -> str:
        return self._python({})

    def __repr__(self) -> str:
        return str(self)


def text_of(value: Any, names: Mapping[Any, str]) -> str:
    """An argument as Python writes it; handles have these names."""
    if isinstance(value, Var):
        return names.get(value, value.name)
    if isinstance(value, HANDLES):
        return names.get(value, "_")
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, (IntImm, FloatImm, StringImm)):
        return text_of(value.value, names)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return repr(value) if isfinite(value) else f'float("{value}")'
    if isinstance(value, IndexMap):
        return _core.index_map_text(value)
    if type(value) is tuple:
        return f"({', '.join(text_of(item, names) for item in value)})"
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {text_of(item, names)}" for key, item in value.items()) + "}"
    if isinstance(value, Iterable):
        return f"[{', '.join(text_of(item, names) for item in value)}]"
    return str(value)
