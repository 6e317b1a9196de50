"""Runners: how long compiled functions take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arg_info import ArgInfo
from .child import ask

__all__ = [
    "EvaluatorConfig",
    "LocalRunner",
    "PyRunner",
    "PyRunnerFuture",
    "Runner",
    "RunnerFuture",
    "RunnerInput",
    "RunnerResult",
    "create",
]


@dataclass
class EvaluatorConfig:
    """How often to call: `repeat` times, each of `number` calls, more where they are shorter than `min_repeat_ms`."""

    number: int = 3
    repeat: int = 1
    min_repeat_ms: int = 100
    enable_cpu_cache_flush: bool = False

    @staticmethod
    def _normalized(config: EvaluatorConfig | None) -> EvaluatorConfig:
        return EvaluatorConfig() if config is None else config


@dataclass(eq=False)
class RunnerInput:
    """A compiled function and what it takes."""

    artifact_path: str
    device_type: str
    args_info: list[ArgInfo]


@dataclass(eq=False)
class RunnerResult:
    """The seconds of a call, a number for each repeat, or why there are none."""

    run_secs: list[float] | None
    error_msg: str | None


class RunnerFuture:
    """A result that may come later."""

    def __init__(self, f_done: Callable[[], bool], f_result: Callable[[], RunnerResult]) -> None:
        self._done, self._result = f_done, f_result

    def done(self) -> bool:
        """Whether the result is there."""
        return self._done()

    def result(self) -> RunnerResult:
        """The result, once it is there."""
        return self._result()


class PyRunnerFuture(RunnerFuture):
    """The class above those of one's own, which have `done` and `result`."""

    def __init__(self) -> None:
        pass


class Runner:
    """Runs compiled functions."""

    def run(self, runner_inputs: list[RunnerInput]) -> list[RunnerFuture]:
        """A result that may come later for each input, in order."""
        raise NotImplementedError(f"{type(self).__name__} has no `run`")

    @staticmethod
    def create(kind: str | Runner = "local", *args: Any, **kwargs: Any) -> Runner:
        """A runner by its name, "local"."""
        if isinstance(kind, Runner):
            return kind
        if kind != "local":
            raise ValueError(f"expected the runner `local`, found {kind!r}")
        return LocalRunner(*args, **kwargs)


#: Runners of one's own are classes below this one.
PyRunner = Runner

create = Runner.create


class LocalRunner(Runner):
    """Runs in another process of this machine, with a time limit for each function."""

    def __init__(
        self,
        timeout_sec: float = 30.0,
        evaluator_config: EvaluatorConfig | None = None,
        cooldown_sec: float = 0.0,
        alloc_repeat: int = 1,
        f_alloc_argument: Any = None,
        f_run_evaluator: Any = None,
        f_cleanup: Any = None,
        initializer: Callable[[], None] | None = None,
    ) -> None:
        for name, given in [
            ("f_alloc_argument", f_alloc_argument),
            ("f_run_evaluator", f_run_evaluator),
            ("f_cleanup", f_cleanup),
        ]:
            if given is not None:
                raise ValueError(f"`{name}`: what runs in the other process is fixed: write a PyRunner instead")
        if alloc_repeat != 1:
            raise ValueError("`alloc_repeat`: a function is called with one set of arguments")
        if evaluator_config is not None and evaluator_config.enable_cpu_cache_flush:
            raise ValueError("`enable_cpu_cache_flush`: caches are not flushed between calls")
        self.timeout_sec = timeout_sec
        self.evaluator_config = EvaluatorConfig._normalized(evaluator_config)
        self.cooldown_sec = cooldown_sec
        self.alloc_repeat = alloc_repeat
        if initializer is not None:
            initializer()

    def run(self, runner_inputs: list[RunnerInput]) -> list[RunnerFuture]:
        """A result that may come later for each input, in order."""
        return [self._future(self._run(one)) for one in runner_inputs]

    @staticmethod
    def _future(result: RunnerResult) -> RunnerFuture:
        return RunnerFuture(lambda: True, lambda: result)

    def _run(self, one: RunnerInput) -> RunnerResult:
        config = self.evaluator_config
        if one.device_type not in ("cpu", "llvm"):
            return RunnerResult(None, f"kernels run on the processor here, found the device {one.device_type!r}")
        request = {
            "path": one.artifact_path,
            "args": [info.as_json() for info in one.args_info],
            "number": config.number,
            "repeat": config.repeat,
            "min_repeat_ms": config.min_repeat_ms,
        }
        if self.cooldown_sec > 0:
            time.sleep(self.cooldown_sec)
        try:
            return RunnerResult(ask("run", request, self.timeout_sec), None)
        except Exception as problem:
            return RunnerResult(None, f"{type(problem).__name__}: {problem}")
