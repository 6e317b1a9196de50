"""Vectors of texts: encoders of the BERT family with pooling, as sentence-transformers saves them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checkpoint
from ..error import TVMError
from .compile import TARGET
from .folders import cache_folder, move_into_place
from .loader.huggingface import read_json
from .loader.tensors import Tensors
from .model.bert import Bert, BertConfig
from .model.config import UnsupportedModel
from .tokenizer import Tokenizer, open_tokenizer

__all__ = ["Embedder", "embed", "open_embedder"]

#: Ways from the vectors of a text's tokens to one vector.
POOLINGS = ("mean", "cls", "max")


class Embedder:
    """An encoder that is compiled, with its tokenizer. `open_embedder` makes it."""

    def __init__(
        self, executable: Any, weights: list[Any], config: BertConfig, tokenizer: Tokenizer, longest: int,
        pooling: str, normalize: bool,
    ) -> None:  # fmt: skip
        from .. import relax
        from ..runtime import cpu

        self._forward, self._weights = relax.VirtualMachine(executable, cpu())["forward"], weights
        self.config, self.tokenizer, self.longest = config, tokenizer, longest
        self.pooling, self.normalize = pooling, normalize

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        return self.config.hidden_size

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text with those around it. A text that is too long loses its end."""
        tokens = self.tokenizer.encode(text)
        if len(tokens) > self.longest:
            # The last token ends a text.
            tokens = [*tokens[: self.longest - 1], tokens[-1]]
        wrong = next((token for token in tokens if token >= self.config.vocab_size), None)
        if wrong is not None:
            raise TVMError(f"token {wrong} is none of the model's {self.config.vocab_size}: the tokenizer is another's")
        if not tokens:
            raise TVMError("a text of no token has no vector")
        return tokens

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] = lambda done: None) -> NDArray[np.float32]:
        """The vectors of texts, `[texts, size]` of float32; `progress` is told how many are done."""
        if isinstance(texts, str):
            raise TVMError("expected a list of texts, found one text")
        made = np.empty((len(texts), self.size), np.float32)
        for row, text in enumerate(texts):
            made[row] = self._vector(self.tokens(text))
            progress(row + 1)
        return made

    def _vector(self, tokens: list[int]) -> NDArray[np.float32]:
        from ..runtime import ndarray

        first = self.config.first_position
        given = (tokens, range(first, first + len(tokens)), [0] * len(tokens))
        arrays = [ndarray.array(np.array(values, np.int32)) for values in given]
        states = self._forward(*arrays, self._weights).numpy()
        if self.pooling == "cls":
            vector = states[0]
        else:
            vector = states.max(0) if self.pooling == "max" else states.mean(0, dtype=np.float64)
        if self.normalize:
            # As PyTorch's `normalize`: a vector of zeros stays one.
            vector = vector / max(float(np.linalg.norm(vector.astype(np.float64))), 1e-12)
        return vector.astype(np.float32)


def embed(
    path: str | os.PathLike[str], texts: Sequence[str], pooling: str | None = None, normalize: bool | None = None
) -> NDArray[np.float32]:
    """The vectors of texts, `[texts, size]`, by the model of a folder: see `open_embedder`."""
    return open_embedder(path, pooling, normalize).embed(texts)


def open_embedder(
    path: str | os.PathLike[str],
    pooling: str | None = None,
    normalize: bool | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> Embedder:
    """The encoder of a folder of Hugging Face, compiled into the user's cache unless it is there.

    `pooling` is `"mean"`, `"cls"` or `"max"`, by default what the folder says (`modules.json`), else the mean; vectors
    are normalised to length 1 if `normalize`, by default as the folder says, else they are.
    """
    folder = Path(path)
    if not (folder / "config.json").is_file():
        raise TVMError(f"{folder}: expected a folder of Hugging Face with config.json")
    said = read_json(folder / "config.json")
    config = BertConfig.from_dict(said, str(folder / "config.json"))
    own_pooling, own_normalize = _modules(folder)
    pooling = own_pooling if pooling is None else pooling
    if pooling not in POOLINGS:
        raise TVMError(f"vectors of tokens become one by {', '.join(POOLINGS)}, found {pooling!r}")
    tensors = Tensors(checkpoint.open(folder))
    names, weights = _weights(folder, Bert(config), tensors)
    executable = _compiled(folder, config, names, progress)
    tokenizer = open_tokenizer(folder)
    return Embedder(
        executable, weights, config, tokenizer, _longest(folder, config), pooling,
        own_normalize if normalize is None else normalize,
    )  # fmt: skip


def _longest(folder: Path, config: BertConfig) -> int:
    file = folder / "sentence_bert_config.json"
    length = read_json(file).get("max_seq_length") if file.is_file() else None
    if length is None:
        return config.longest
    if not isinstance(length, int) or isinstance(length, bool) or length < 2:
        raise TVMError(f"{file}: `max_seq_length`: expected an integer of 2 or more, found {length!r:.80}")
    return min(length, config.longest)


def _modules(folder: Path) -> tuple[str, bool]:
    """How the folder says that vectors are pooled, and whether they are normalised: `modules.json`."""
    file = folder / "modules.json"
    if not file.is_file():
        return "mean", True
    import json

    try:
        modules = json.loads(file.read_text(encoding="utf-8"))
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise TVMError(f"{file}: expected a list of modules with a `type`: {error}") from None
    unknown = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    if unknown:
        raise UnsupportedModel(f"{file}: modules of the type {unknown[0]} are not there for texts' vectors")
    pooling = "mean"
    if "Pooling" in kinds:
        config = folder / "1_Pooling" / "config.json"
        if config.is_file():
            pooling = _pooling_of(read_json(config), config)
    return pooling, "Normalize" in kinds


def _pooling_of(values: dict[str, Any], file: Path) -> str:
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}
    chosen = [key for key, value in values.items() if key.startswith("pooling_mode_") and value is True]
    if len(chosen) != 1 or chosen[0] not in known:
        raise UnsupportedModel(f"{file}: expected one of {', '.join(known)}, found {', '.join(chosen) or 'none'}")
    return known[chosen[0]]


def _weights(folder: Path, model: Bert, tensors: Tensors) -> tuple[list[str], list[Any]]:
    """The weights in the order in which the function takes them, each checked against its shape."""
    from ..runtime import ndarray

    prefixes = ("", "bert.", "roberta.")
    first = "embeddings.word_embeddings.weight"
    prefix = next((own for own in prefixes if own + first in tensors), None)
    if prefix is None:
        raise TVMError(f'{folder}: expected the embedding "{first}" among {len(tensors)} tensors')
    names, weights, problems = [], [], []
    for name, param in model.named_parameters():
        full, shape = prefix + name, tuple(int(dim) for dim in param.shape)
        if full not in tensors:
            problems.append(f'missing "{full}", expected {list(shape)}')
        elif tensors.stored(full).shape != shape or not tensors.is_numbers(full):
            stored = tensors.stored(full)
            problems.append(
                f"{stored.place}: expected {list(shape)} of floats, found {list(stored.shape)} of {stored.type}"
            )
        else:
            names.append(name)
            weights.append(ndarray.array(np.ascontiguousarray(tensors.numbers(full), np.float32)))
    if problems:
        listed = "".join(f"\n  {problem}" for problem in [*problems[:5], *(["…"] if len(problems) > 5 else [])])
        raise TVMError(f"{folder}: the tensors are not those of these settings:{listed}")
    return names, weights


def _compiled(folder: Path, config: BertConfig, names: list[str], progress: Callable[[str], None]) -> Any:
    """The executable, from the cache where it is there."""
    from .. import _core
    from .. import compile as compile_module

    cached = cache_folder(folder, "embed")
    file = cached / "model.twx"
    if not file.is_file():
        progress("writing the functions of the encoder")
        model = Bert(config)
        module, params = model.export_tvm(model.get_default_spec())
        if [name for name, _ in params] != names:
            raise TVMError("the encoder's weights come in another order than its parameters")
        progress("compiling")
        executable = compile_module(module, TARGET)
        part = cached.with_name(f"{cached.name}.{os.getpid()}.part")
        part.mkdir(parents=True, exist_ok=True)
        try:
            executable.export_library(str(part / "model.twx"))
            move_into_place(part, cached, "model.twx")
        finally:
            shutil.rmtree(part, ignore_errors=True)
    progress("")
    return _core.Executable.load(str(file))
