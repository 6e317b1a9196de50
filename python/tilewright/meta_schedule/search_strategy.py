"""How the search goes on from the schedules of a space."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from statistics import mean
from typing import Any

from .. import _core
from ..error import TVMError
from ..tir import Schedule
from .arg_info import ArgInfo
from .utils import main_of

__all__ = [
    "EvolutionarySearch",
    "MeasureCandidate",
    "PySearchStrategy",
    "ReplayFunc",
    "ReplayTrace",
    "SearchStrategy",
    "create",
]


class MeasureCandidate:
    """A schedule that is to be measured, and what its function takes."""

    def __init__(self, sch: Schedule, args_info: list[ArgInfo]) -> None:
        self.sch = sch
        self.args_info = args_info


class SearchStrategy:
    """Proposes schedules and learns from their times."""

    kind = ""

    def __init__(self) -> None:
        self._context: Any = None
        self._search: _core.TuningSearch | None = None
        self._left = 0
        self._batch = 0

    def initialize_with_tune_context(self, context: Any) -> None:
        """Is told the context before the search begins."""
        self._context = context

    _initialize_with_tune_context = initialize_with_tune_context

    def pre_tuning(
        self,
        max_trials: int,
        num_trials_per_iter: int,
        design_spaces: list[Schedule],
        database: Any = None,
        cost_model: Any = None,
    ) -> None:
        """Begins a search in these schedules."""
        if self._context is None:
            raise TVMError("the strategy has no context: give it to a TuneContext")
        context = self._context
        func, target = main_of(context.mod), context.target
        self._search = _core.TuningSearch(func, target, self.kind, context._seed(), design_spaces)
        self._left, self._batch = max_trials, num_trials_per_iter

    def post_tuning(self) -> None:
        """Ends the search."""
        self._search = None

    def generate_measure_candidates(self) -> list[MeasureCandidate] | None:
        """The schedules to measure next; `None` where the search is over."""
        if self._search is None:
            raise TVMError("call `pre_tuning` before")
        found = []
        for lines in self._search.propose(min(self._left, self._batch)):
            sch = Schedule(self._context.mod)
            sch._know_intrinsics()
            sch._apply(lines)
            found.append(MeasureCandidate(sch, ArgInfo.from_entry_func(sch.mod)))
        self._left -= len(found)
        return found or None

    def notify_runner_results(self, measure_candidates: list[MeasureCandidate], results: Iterable[Any]) -> None:
        """Is told what the schedules of the last proposal took."""
        if self._search is None:
            raise TVMError("call `pre_tuning` before")
        for at, result in enumerate(results):
            if result.run_secs:
                self._search.learn(at, mean(result.run_secs))

    def clone(self) -> SearchStrategy:
        """Another one that does the same."""
        other = copy.copy(self)
        other._context = other._search = None
        return other

    @staticmethod
    def create(kind: str | SearchStrategy = "evolutionary", *args: Any, **kwargs: Any) -> SearchStrategy:
        """A strategy by its name: "evolutionary", "replay-trace" or "replay-func"."""
        if isinstance(kind, SearchStrategy):
            return kind
        kinds: dict[str, type[SearchStrategy]] = {
            "evolutionary": EvolutionarySearch,
            "replay-trace": ReplayTrace,
            "replay-func": ReplayFunc,
        }
        if kind not in kinds:
            raise ValueError(f"expected a strategy called {', '.join(kinds)}, found {kind!r}")
        return kinds[kind](*args, **kwargs)


#: Strategies of one's own are classes below this one.
PySearchStrategy = SearchStrategy

create = SearchStrategy.create


class ReplayTrace(SearchStrategy):
    """The schedules with decisions that are drawn anew."""

    kind = "replay-trace"

    def __init__(self, max_fail_count: int = 100) -> None:
        super().__init__()
        self.max_fail_count = max_fail_count


class ReplayFunc(SearchStrategy):
    """What the space makes each time that it is asked."""

    kind = "replay-func"

    def generate_measure_candidates(self) -> list[MeasureCandidate] | None:
        """The schedules to measure next; `None` where the search is over."""
        found: list[MeasureCandidate] = []
        space = self._context.space_generator
        while len(found) < min(self._left, self._batch):
            space._seed += 1
            made = space.generate_design_space(self._context.mod)
            if not made:
                break
            found.extend(MeasureCandidate(sch, ArgInfo.from_entry_func(sch.mod)) for sch in made)
        found = found[: min(self._left, self._batch)]
        self._left -= len(found)
        return found or None

    def notify_runner_results(self, measure_candidates: list[MeasureCandidate], results: Iterable[Any]) -> None:
        """It learns nothing."""


class EvolutionarySearch(SearchStrategy):
    """Changes of the best schedules, chosen by a cost model that learns from their times. The sizes of the search are
    its own: those that are given here are kept and change nothing."""

    kind = "evolutionary"

    def __init__(
        self,
        *,
        population_size: int = 512,
        init_measured_ratio: float = 0.2,
        init_min_unmeasured: int = 50,
        max_fail_count: int = 5,
        genetic_num_iters: int = 4,
        genetic_mutate_prob: float = 0.85,
        genetic_max_fail_count: int = 10,
        eps_greedy: float = 0.05,
    ) -> None:
        super().__init__()
        self.population_size = population_size
        self.init_measured_ratio = init_measured_ratio
        self.init_min_unmeasured = init_min_unmeasured
        self.max_fail_count = max_fail_count
        self.genetic_num_iters = genetic_num_iters
        self.genetic_mutate_prob = genetic_mutate_prob
        self.genetic_max_fail_count = genetic_max_fail_count
        self.eps_greedy = eps_greedy
