"""Speed of a compiled model on this machine: `tilewright llm bench`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ..error import TVMError
from .generate import LanguageModel

__all__ = ["Measured", "measure"]


@dataclass(frozen=True)
class Measured:
    """Tokens a second: the medians of several runs, and the best."""

    prompt: int
    generated: int
    prefill: float
    prefill_best: float
    decode: float
    decode_best: float

    def as_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.prompt:6} tokens of a prompt  {self.prefill:9.1f} tokens a second (best {self.prefill_best:.1f})\n"
            f"{self.generated:6} tokens after it     {self.decode:9.1f} tokens a second (best {self.decode_best:.1f})"
        )


def measure(
    model: LanguageModel,
    prompt: int,
    generated: int,
    runs: int = 5,
    progress: Callable[[str], None] = lambda message: None,
) -> Measured:
    """Computes a prompt of so many tokens, then tokens one at a time, several times; the first run is not counted."""
    context = model.context_window_size
    if prompt < 1 or generated < 1 or runs < 1 or prompt + generated > context:
        raise TVMError(f"a prompt and the tokens after it are 1 or more, {context} together at most, in 1 run or more")
    # Any tokens do: the time does not depend on which.
    tokens = [number * 7919 % model.vocab_size for number in range(prompt + generated)]
    sequence = model.sequence()
    prefill, decode = [], []
    for run in range(runs + 1):
        progress(f"run {run + 1} of {runs + 1}")
        sequence.truncate(0)
        started = time.perf_counter()
        sequence.append(tokens[:prompt])
        between = time.perf_counter()
        for token in tokens[prompt:]:
            sequence.append([token])
        ended = time.perf_counter()
        prefill.append(prompt / (between - started))
        decode.append(generated / (ended - between))
    progress("")
    prefill, decode = prefill[1:], decode[1:]
    median = statistics.median
    return Measured(prompt, generated, median(prefill), max(prefill), median(decode), max(decode))
