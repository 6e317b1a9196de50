"""Choices, knobs and traces.

A *choice* is a registered function that transforms a module, by name, with a registered function that says whether it
may. A *knob* has choices by name. A *trace* is a module, the knobs that were applied to it in order, each with the
decision, and the module that came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....error import WrongTypeError, WrongValueError
from ....ir.base import load_json, save_json
from ....ir.expr import RelayExpr
from ....ir.module import GlobalVar, IRModule
from ....runtime.packed_func import get_global_func, registered_function

__all__ = ["Choice", "Knob", "Trace", "get_trace"]

_TRANSFORM, _CONSTRAINT = (
    "relax.tuning_api.Choice.default_transform_func",
    "relax.tuning_api.Choice.default_constr_func",
)


def _function(key: str) -> Any:
    """The registered function of a name, as Python registered it: it takes modules."""
    if key == _TRANSFORM:
        return lambda mod: mod
    if key == _CONSTRAINT:
        return lambda mod: True
    return registered_function(key) or get_global_func(key)


class Choice:
    """A way to transform a module, and a condition for it; both are registered functions with further arguments."""

    def __init__(
        self,
        transform_func_key: str | None = None,
        transform_func_args: Sequence[Any] | None = None,
        constr_func_key: str | None = None,
        constr_func_args: Sequence[Any] | None = None,
    ) -> None:
        self.transform_func_key = transform_func_key or _TRANSFORM
        self.transform_func_args = list(transform_func_args or ())
        self.constr_func_key = constr_func_key or _CONSTRAINT
        self.constr_func_args = list(constr_func_args or ())

    def get_transform_func(self) -> Any:
        """The function that transforms."""
        return _function(self.transform_func_key)

    def get_constr_func(self) -> Any:
        """The function that says whether it may."""
        return _function(self.constr_func_key)

    def apply_transform_func(self, mod: IRModule) -> IRModule:
        """The module after the transformation."""
        return self.get_transform_func()(mod, *self.transform_func_args)

    def check_constr(self, mod: IRModule) -> bool:
        """Whether the module may be transformed so."""
        return bool(self.get_constr_func()(mod, *self.constr_func_args))

    def as_json(self) -> list[Any]:
        """The names and the arguments, as plain data."""
        return [self.transform_func_key, self.transform_func_args, self.constr_func_key, self.constr_func_args]

    @staticmethod
    def from_json(obj: Sequence[Any]) -> Choice:
        """The choice of such data."""
        return Choice(*obj)

    def deepcopy(self) -> Choice:
        """Another choice of the same."""
        return Choice.from_json(self.as_json())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.as_json() == other.as_json()

    def __hash__(self) -> int:
        return hash((self.transform_func_key, self.constr_func_key))


class Knob:
    """A name with choices by name; a list of choices is called `0`, `1`, and so on."""

    def __init__(self, name: str, choices: Sequence[Choice] | Mapping[str, Choice]) -> None:
        self.name = name
        listed = choices if isinstance(choices, Mapping) else {str(index): one for index, one in enumerate(choices)}
        self.choices: dict[str, Choice] = dict(listed)

    def verify(self, decision: str | int) -> bool:
        """Whether there is a choice of this name."""
        return str(decision) in self.choices

    def get_choice(self, decision: str | int) -> Choice:
        """The choice of this name."""
        if not self.verify(decision):
            raise WrongValueError(f"the knob `{self.name}` has no choice `{decision}`, only {', '.join(self.choices)}")
        return self.choices[str(decision)]

    def apply(self, mod: IRModule, decision: str | int) -> IRModule:
        """The module after the choice's transformation."""
        return self.get_choice(decision).apply_transform_func(mod)

    def as_json(self) -> list[Any]:
        """The name and the choices, as plain data."""
        return [self.name, {name: choice.as_json() for name, choice in self.choices.items()}]

    @staticmethod
    def from_json(obj: Sequence[Any]) -> Knob:
        """The knob of such data."""
        return Knob(obj[0], {name: Choice.from_json(choice) for name, choice in obj[1].items()})

    def deepcopy(self) -> Knob:
        """Another knob of the same."""
        return Knob.from_json(self.as_json())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knob) and self.as_json() == other.as_json()

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"{self.name} (# of choices: {len(self.choices)})\n" + "".join(
            f"  - {name}: {choice.transform_func_key}\n" for name, choice in self.choices.items()
        )


class Trace:
    """A module, the knobs that were applied to it with the decisions, and what came of it."""

    def __init__(
        self, in_mod: IRModule, knobs: Sequence[Knob] | None = None, decisions: Sequence[str | int] | None = None
    ) -> None:
        self.in_mod = self.out_mod = in_mod
        self.knobs: list[Knob] = []
        self.decisions: list[str] = []
        self.perf: float | None = None
        knobs, decisions = list(knobs or ()), list(decisions or ())
        if len(knobs) != len(decisions):
            raise WrongValueError(f"each knob has a decision, found {len(knobs)} knobs and {len(decisions)} decisions")
        for knob, decision in zip(knobs, decisions, strict=True):
            self.add(knob, decision)

    @property
    def size(self) -> int:
        """The number of knobs."""
        return len(self.knobs)

    def verify(self) -> bool:
        """Whether every knob has a choice of the name that was decided."""
        return all(knob.verify(decision) for knob, decision in zip(self.knobs, self.decisions, strict=True))

    def add(self, knob: Knob, decision: str | int) -> IRModule:
        """Applies a knob to what there is; the result is the module."""
        choice = knob.get_choice(decision)
        if choice.check_constr(self.out_mod):
            self.out_mod = choice.apply_transform_func(self.out_mod)
        self.knobs.append(knob)
        self.decisions.append(str(decision))
        self.perf = None
        return self.out_mod

    def note_pass(self, name: str, mod: IRModule) -> None:
        """Notes a pass that was run, as a knob with one choice, with what it made."""
        self.knobs.append(Knob(name, {"enabled": Choice(name)}))
        self.decisions.append("enabled")
        self.out_mod, self.perf = mod, None

    def set_perf(self, perf: float) -> None:
        """Says how well the module ran."""
        self.perf = perf

    def set_out_mod(self, mod: IRModule) -> None:
        """Replaces what came of it."""
        self.out_mod = mod

    def as_json(self, include_irmod: bool = True) -> list[Any]:
        """The knobs, the decisions, the performance, and the module unless it is left out, as plain data."""
        steps = [[knob.as_json(), decision] for knob, decision in zip(self.knobs, self.decisions, strict=True)]
        return [steps, self.perf, *([save_json(self.in_mod)] if include_irmod else [])]

    @staticmethod
    def from_json(obj: Sequence[Any]) -> Trace:
        """The trace of such data: its knobs are applied again to the module."""
        steps, perf, *module = obj
        made = Trace(load_json(module[0]) if module else IRModule({}))
        for knob, decision in steps:
            made.add(Knob.from_json(knob), decision)
        made.perf = perf
        return made

    def deepcopy(self) -> Trace:
        """Another trace with the same knobs and modules."""
        made = Trace(self.in_mod)
        made.out_mod, made.perf = self.out_mod, self.perf
        made.knobs, made.decisions = list(self.knobs), list(self.decisions)
        return made

    def __str__(self) -> str:
        lines = [f"Trace length: {self.size}"]
        for knob, decision in zip(self.knobs, self.decisions, strict=True):
            lines.append(f"- {knob.name}: {decision}")
        return "\n".join(lines) + "\n"


def get_trace(in_: Trace | IRModule | RelayExpr) -> Trace:
    """The trace itself, or one that begins with a module, or with an expression as a module's only function."""
    if isinstance(in_, Trace):
        return in_
    if isinstance(in_, IRModule):
        return Trace(in_)
    if isinstance(in_, RelayExpr):
        return Trace(IRModule({GlobalVar("main"): in_}))
    raise WrongTypeError(f"a trace begins with a module or an expression, found {type(in_).__name__}")
