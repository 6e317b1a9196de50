"""The context of a search: the module, the target, the space, and the way to search it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ..error import TVMError
from ..ir import IRModule
from ..target import Target
from ..tir import PrimFunc, Schedule
from .search_strategy import MeasureCandidate, SearchStrategy
from .space_generator import SpaceGenerator
from .utils import cpu_count, normalize_mod

__all__ = ["TuneContext"]


class TuneContext:
    """A function that is tuned, and how."""

    def __init__(
        self,
        mod: IRModule | PrimFunc | None = None,
        *,
        target: Target | str | dict[str, Any] | None = None,
        space_generator: SpaceGenerator | Callable[[Schedule], Any] | str | None = None,
        search_strategy: SearchStrategy | str | None = None,
        task_name: str = "main",
        rand_state: int = -1,
        num_threads: int | str = "physical",
        logger: Any = None,
    ) -> None:
        self.mod = None if mod is None else normalize_mod(mod)
        self.target = Target.choose(target)
        self.space_generator = None if space_generator is None else SpaceGenerator.create(space_generator)
        self.search_strategy = None if search_strategy is None else SearchStrategy.create(search_strategy)
        self.task_name = task_name
        self.rand_state = random.randrange(1, 2**30) if rand_state == -1 else int(rand_state)
        self.num_threads = cpu_count() if isinstance(num_threads, str) else int(num_threads)
        self.logger = logger
        self.initialize()

    def initialize(self) -> None:
        """Tells the space and the strategy of the context."""
        for part in (self.space_generator, self.search_strategy):
            if part is not None:
                part.initialize_with_tune_context(self)

    _initialize_with_tune_context = initialize

    def _seed(self) -> int:
        return self.rand_state

    def generate_design_space(self) -> list[Schedule]:
        """The schedules that the space has for the module."""
        return self._part("space_generator").generate_design_space(self._part("mod"))

    def pre_tuning(
        self,
        max_trials: int,
        num_trials_per_iter: int = 64,
        design_spaces: list[Schedule] | None = None,
        database: Any = None,
        cost_model: Any = None,
    ) -> None:
        """Begins a search."""
        spaces = self.generate_design_space() if design_spaces is None else design_spaces
        strategy = self._part("search_strategy")
        strategy.pre_tuning(max_trials, num_trials_per_iter, spaces, database, cost_model)

    def post_tuning(self) -> None:
        """Ends the search."""
        self._part("search_strategy").post_tuning()

    def generate_measure_candidates(self) -> list[MeasureCandidate] | None:
        """The schedules to measure next; `None` where the search is over."""
        return self._part("search_strategy").generate_measure_candidates()

    def notify_runner_results(self, measure_candidates: list[MeasureCandidate], results: list[Any]) -> None:
        """Tells the strategy what the schedules took."""
        self._part("search_strategy").notify_runner_results(measure_candidates, results)

    def clone(self) -> TuneContext:
        """Another context of the same."""
        return TuneContext(
            self.mod,
            target=self.target,
            space_generator=None if self.space_generator is None else self.space_generator.clone(),
            search_strategy=None if self.search_strategy is None else self.search_strategy.clone(),
            task_name=self.task_name,
            rand_state=self.rand_state,
            num_threads=self.num_threads,
            logger=self.logger,
        )

    def _part(self, name: str) -> Any:
        part = getattr(self, name)
        if part is None:
            raise TVMError(f"the context has no `{name}`: give it one")
        return part
