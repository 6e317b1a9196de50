"""Spaces: the schedules that a search begins with."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .. import _core
from ..error import TVMError, WrongTypeError
from ..ir import IRModule
from ..target import Target
from ..tir import Schedule
from .utils import main_of, normalize_mod

__all__ = [
    "PostOrderApply",
    "PySpaceGenerator",
    "ScheduleFn",
    "SpaceGenerator",
    "SpaceGeneratorUnion",
    "create",
]


class SpaceGenerator:
    """Makes schedules of a module, of which the search draws the decisions anew."""

    _context: Any = None
    _seed = 1

    def generate_design_space(self, mod: IRModule) -> list[Schedule]:
        """The schedules of a module's function."""
        raise NotImplementedError(f"{type(self).__name__} has no `generate_design_space`")

    def initialize_with_tune_context(self, context: Any) -> None:
        """Is told the context before it is asked."""
        self._context = context

    _initialize_with_tune_context = initialize_with_tune_context

    def clone(self) -> SpaceGenerator:
        """Another one that does the same."""
        other = copy.copy(self)
        other._context = None
        return other

    def _target(self) -> Target:
        target = getattr(self._context, "target", None)
        return Target.choose(target)

    @staticmethod
    def create(kind: Any = "post-order-apply", *args: Any, **kwargs: Any) -> SpaceGenerator:
        """A space by its name ("post-order-apply", "union"), or of a function that schedules."""
        if isinstance(kind, SpaceGenerator):
            return kind
        if kind == "post-order-apply":
            return PostOrderApply(*args, **kwargs)
        if kind == "union":
            return SpaceGeneratorUnion(*args, **kwargs)
        if callable(kind):
            return ScheduleFn(kind, *args, **kwargs)
        raise ValueError(f"expected `post-order-apply`, `union` or a function, found {kind!r}")


#: Spaces of one's own are classes below this one.
PySpaceGenerator = SpaceGenerator

create = SpaceGenerator.create


def _check_default(**given: Any) -> None:
    """The default space has no rules, postprocessors or mutators that could be exchanged."""
    for name, value in given.items():
        if value is not None and value != "from-target" and value not in ([], {}, ()):
            raise TVMError(f"`{name}`: the space has rules of its own: use ScheduleFn for schedules of yours")


class ScheduleFn(SpaceGenerator):
    """What a function makes of a schedule: it changes the one that it is given, or returns one or several."""

    def __init__(
        self,
        sch_fn: Callable[[Schedule], Schedule | list[Schedule] | None],
        sch_rules: Any = "from-target",
        postprocs: Any = "from-target",
        mutator_probs: Any = "from-target",
    ) -> None:
        _check_default(sch_rules=sch_rules, postprocs=postprocs, mutator_probs=mutator_probs)
        if not callable(sch_fn):
            raise WrongTypeError(f"expected a function of a schedule, found {type(sch_fn).__name__}")
        self.sch_fn = sch_fn

    def generate_design_space(self, mod: IRModule) -> list[Schedule]:
        """The schedules of a module's function."""
        sch = Schedule(normalize_mod(mod), seed=self._seed, error_render_level="detail")
        made = self.sch_fn(sch)
        if made is None:
            return [sch]
        if isinstance(made, Schedule):
            return [made]
        if isinstance(made, (list, tuple)) and all(isinstance(one, Schedule) for one in made):
            return list(made)
        raise TypeError(f"expected a schedule, a list of schedules or None from the function, found {made!r}")


class PostOrderApply(SpaceGenerator):
    """What the default rules offer for a function, and tilings whose sizes are drawn."""

    def __init__(
        self,
        f_block_filter: Any = None,
        sch_rules: Any = "from-target",
        postprocs: Any = "from-target",
        mutator_probs: Any = "from-target",
    ) -> None:
        _check_default(
            f_block_filter=f_block_filter, sch_rules=sch_rules, postprocs=postprocs, mutator_probs=mutator_probs
        )

    def generate_design_space(self, mod: IRModule) -> list[Schedule]:
        """The schedules of a module's function."""
        mod = normalize_mod(mod)
        found = []
        for lines in _core.tuning_space(main_of(mod), self._target()):
            sch = Schedule(mod)
            sch._apply(lines)
            found.append(sch)
        return found


class SpaceGeneratorUnion(SpaceGenerator):
    """The schedules of several spaces."""

    def __init__(
        self,
        space_generators: list[Any],
        sch_rules: Any = "from-target",
        postprocs: Any = "from-target",
        mutator_probs: Any = "from-target",
    ) -> None:
        _check_default(sch_rules=sch_rules, postprocs=postprocs, mutator_probs=mutator_probs)
        self.space_generators = [SpaceGenerator.create(space) for space in space_generators]

    def initialize_with_tune_context(self, context: Any) -> None:
        """Is told the context before it is asked."""
        super().initialize_with_tune_context(context)
        for space in self.space_generators:
            space.initialize_with_tune_context(context)

    _initialize_with_tune_context = initialize_with_tune_context

    def generate_design_space(self, mod: IRModule) -> list[Schedule]:
        """The schedules of a module's function."""
        return [sch for space in self.space_generators for sch in space.generate_design_space(mod)]
