"""What a quantisation costs: `tilewright llm quantize --report`.

A text is read by the model with weights as they are in the file and exact activations, and by the quantised one.
Perplexity is the exponential of the mean negative log-likelihood of each token after those before it; KL is the mean
Kullback-Leibler divergence of the quantised model's distribution of the next token from the other's, in nats. Of each
weight, the error is the root of the mean squared difference over that of the weight.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..error import TVMError
from .compile import CompiledFolder, compile_model, forms_of
from .fit import weight_bytes
from .generate import LanguageModel
from .loader import Source, open_model
from .quantization.quantize import quantize
from .tokenizer import Tokenizer

__all__ = ["Report", "judge", "weight_errors"]

#: Rows of logits that are in memory at once.
ROWS = 64


@dataclass(frozen=True)
class Report:
    """Sizes in bytes, and what became of the text's tokens."""

    tokens: int
    bytes_before: int
    bytes_after: int
    perplexity_before: float
    perplexity_after: float
    kl: float
    #: The relative errors of weights, the worst first.
    errors: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)

    def text(self, worst: int = 10) -> str:
        """The report, with so many of the worst weights."""
        lines = [
            f"size        {self.bytes_before / 2**20:10.1f} MiB -> {self.bytes_after / 2**20:.1f} MiB",
            f"perplexity  {self.perplexity_before:10.4f}     -> {self.perplexity_after:.4f}, of {self.tokens} tokens",
            f"KL          {self.kl:10.6f} nats",
        ]
        if self.errors:
            lines.append("worst weights, relative errors:")
            lines += [f"  {error:.5f}  {name}" for name, error in list(self.errors.items())[:worst]]
        return "\n".join(lines)


def weight_errors(
    source: Source, quantization: str, progress: Callable[[str], None] = lambda message: None
) -> dict[str, float]:
    """The relative errors of weights that are floats in the file, the worst first."""
    before, found = forms_of(source), {}
    names = [name for name in forms_of(source, quantization) if name not in before]
    for number, name in enumerate(names):
        progress(f"weight {number + 1} of {len(names)}: {name}")
        values = source.read(name)
        values = values.reshape(-1, values.shape[-1])
        square = float(np.mean(values.astype(np.float64) ** 2))
        difference = quantize(values, quantization).dequantized().astype(np.float64) - values
        found[name] = float(np.sqrt(np.mean(difference**2) / square)) if square else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def judge(
    path: Path,
    quantization: str,
    text: str,
    tokenizer: Tokenizer,
    activations: str = "int8",
    progress: Callable[[str], None] = lambda message: None,
) -> Report:
    """Judges a quantisation of the model of a file or folder on a text, of which as much is read as the context has."""
    source = open_model(path)
    tokens = tokenizer.encode(text)[: source.config.context_window_size]
    if len(tokens) < 2:
        raise TVMError("the text has 2 tokens or more")
    errors = weight_errors(source, quantization, progress)
    with tempfile.TemporaryDirectory() as folder:
        plain, quantised = (
            LanguageModel(_made(path, Path(folder) / name, own, kind, progress), tokenizer)
            for name, own, kind in (("plain", None, "exact"), ("quantised", quantization, activations))
        )
        sums = _compared(plain, quantised, tokens, progress)
    progress("")
    count = len(tokens) - 1
    first, second, kl = (value / count for value in sums)
    return Report(
        count, weight_bytes(source, None)[0], weight_bytes(source, quantization)[0], float(np.exp(first)),
        float(np.exp(second)), kl, errors,
    )  # fmt: skip


def _made(
    path: Path, folder: Path, quantization: str | None, activations: str, progress: Callable[[str], None]
) -> CompiledFolder:
    return compile_model(path, folder, quantization=quantization, activations=activations, progress=progress)


def _compared(
    plain: LanguageModel, quantised: LanguageModel, tokens: list[int], progress: Callable[[str], None]
) -> tuple[float, float, float]:
    """Sums over the tokens: their negative log-likelihoods by both models, and the divergences."""
    sequences, sums = (plain.sequence(), quantised.sequence()), np.zeros(3)
    for start in range(0, len(tokens) - 1, ROWS):
        progress(f"{start} of {len(tokens) - 1} tokens")
        chunk = tokens[start : min(start + ROWS, len(tokens) - 1)]
        first, second = (_logs(sequence.append_all(chunk).numpy()) for sequence in sequences)
        rows, following = np.arange(len(chunk)), np.array(tokens[start + 1 : start + 1 + len(chunk)])
        divergence = np.where(np.isfinite(first), np.exp(first) * (first - second), 0.0).sum()
        sums += (-first[rows, following].sum(), -second[rows, following].sum(), divergence)
    return float(sums[0]), float(sums[1]), float(sums[2])


def _logs(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Logarithms of probabilities."""
    values = logits.astype(np.float64)
    values -= values.max(-1, keepdims=True)
    return values - np.log(np.exp(values).sum(-1, keepdims=True))
