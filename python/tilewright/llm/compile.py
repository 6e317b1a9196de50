"""From the files of a model to an executable and its weights, which a folder keeps.

| file of the folder | holds |
|---|---|
| `model.twx` | the executable |
| `weights.safetensors` | the weights as kernels read them, in the order in which functions take them |
| `model.json` | what a program must know to use both |
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import checkpoint
from ..error import TVMError
from .loader import Blocks as FileBlocks
from .loader import Source, open_model
from .mlc import blocks_of_mode
from .quantization import BlockFormat, Blocks, decode_gguf, quantize_model
from .quantization.block_format import PANEL
from .quantization.gguf import BLOCK_TYPES
from .quantization.quantize import MODES, quantize

__all__ = ["CompiledFolder", "compile_model", "forms_of"]

#: What models are compiled for: this machine.
TARGET = "llvm -mcpu=native"
#: The version of a folder's files.
VERSION = 1
#: The types of keys and values in caches, by their names as options.
CACHE_TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
#: The end of the name of a matrix that stays as it is: a router of experts.
ROUTER = "mlp.gate.weight"
#: Bytes of a tensor's entry in a header besides its name, twice: tensors may have padding in front.
HEADER_BYTES = 320
#: Bytes at whose multiples tensors lie in a file.
ALIGNMENT = 64


@dataclass(frozen=True)
class CompiledFolder:
    """A model that is compiled, by its folder."""

    path: Path

    @property
    def executable(self) -> Path:
        """The executable's file."""
        return self.path / "model.twx"

    @property
    def weights(self) -> Path:
        """The weights' file."""
        return self.path / "weights.safetensors"

    @property
    def description(self) -> dict[str, Any]:
        """What `model.json` says."""
        return json.loads((self.path / "model.json").read_text())


def forms_of(source: Source, quantization: str | None = None) -> dict[str, BlockFormat]:
    """The formats of matrices by name: of the file's blocks of integers, and of floats as `quantization` says."""
    if quantization is not None and quantization not in MODES:
        raise TVMError(f"weights are quantised as one of {', '.join(MODES)}, found {quantization!r}")
    forms = {}
    for name in source.names():
        types, shape = source.stored(name), source.shape(name)
        if not name.endswith(".weight") or name.endswith(ROUTER) or len(shape) not in (2, 3):
            continue
        # The rows of an expert are whole panels.
        if len(shape) == 3 and shape[1] % PANEL != 0:
            continue
        if _is_blocks(source, name):
            forms[name] = _common([_form_of(kind) for kind in types])
        elif quantization is not None and shape[-1] % MODES[quantization][0].group == 0:
            forms[name] = MODES[quantization][0]
    return forms


def _is_blocks(source: Source, name: str) -> bool:
    """Whether a file has all parts of a weight as rows of blocks of integers."""
    recipe = source.recipe(name)
    plain = not recipe.add and not any(part.transposed for part in recipe.parts)
    return plain and all(
        kind in BLOCK_TYPES or ((mode := blocks_of_mode(kind)) is not None and source.shape(name)[-1] % mode[1] == 0)
        for kind in source.stored(name)
    )


def _form_of(kind: str) -> BlockFormat:
    """The format that holds a type of the file's."""
    if kind in BLOCK_TYPES:
        return BLOCK_TYPES[kind].form
    # Scales of float32 are stored in their upper halves, which float16 does not hold.
    bits, group = blocks_of_mode(kind) or (4, 32)
    return BlockFormat(
        4, group, 2 ** (bits - 1) - 1, False, "float16" if "f16_" in kind.replace("bf16", "") else "float32"
    )


def _decoded(part: FileBlocks) -> Blocks:
    """The blocks of a file as codes and factors."""
    mode = blocks_of_mode(part.type)
    if mode is None:
        return decode_gguf(part.rows, part.type)
    bits, (words, scales) = mode[0], (part.rows.view(np.uint32), part.scales)
    if scales is None:
        raise TVMError(f"rows of {part.type} come without scales")
    shifts = np.arange(32 // bits, dtype=np.uint32) * np.uint32(bits)
    codes = (words[..., None] >> shifts & np.uint32(2**bits - 1)).astype(np.uint8)
    dtype = np.float16 if scales.dtype == np.float16 else np.float32
    codes = codes.reshape(len(words), -1)[:, : part.columns]
    return Blocks(np.ascontiguousarray(codes), scales.astype(dtype), zero=2 ** (bits - 1) - 1)


def _common(forms: list[BlockFormat]) -> BlockFormat:
    """A format that holds what any of these hold."""
    first = forms[0]
    if all(form == first for form in forms):
        return first
    bits, group = max(form.bits for form in forms), min(form.group for form in forms)
    same = len({form.zero for form in forms}) == 1 and len({form.has_minimum for form in forms}) == 1
    if same:
        wide = any(form.scale_dtype == "float32" for form in forms)
        return BlockFormat(bits, group, first.zero, first.has_minimum, "float32" if wide else "float16")
    return BlockFormat(bits, group, 0, True, "float32")


def compile_model(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    context_window_size: int | None = None,
    quantization: str | None = "q8_0",
    activations: str = "int8",
    cache_type: str = "f16",
    target: str = TARGET,
    progress: Callable[[str], None] = lambda message: None,
) -> CompiledFolder:
    """Compiles the model of a file or folder into `folder`.

    Weights of floats become blocks of integers as `quantization` says, one of `quantization.MODES`; None leaves them.
    `activations` is `"int8"` (rows are quantised before products with blocks of integers) or `"exact"`. The cache holds
    keys and values as `cache_type`, one of `CACHE_TYPES`. `progress` is told what is done.
    """
    from .. import compile as compile_module

    if cache_type not in CACHE_TYPES:
        raise TVMError(f"a cache holds keys and values as one of {', '.join(CACHE_TYPES)}, found {cache_type!r}")
    progress(f"opening {path}")
    source = open_model(path, context_window_size)
    forms = forms_of(source, quantization)
    model = source.module()
    model.cache_dtype = CACHE_TYPES[cache_type]
    quantize_model(model, forms, activations, vocab_size=source.config.vocab_size)
    progress(f"writing the functions of {source.architecture.name}")
    module, params = model.export_tvm(model.get_default_spec())
    progress("compiling")
    executable = compile_module(module, target)
    made = CompiledFolder(Path(folder))
    made.path.mkdir(parents=True, exist_ok=True)
    executable.export_library(str(made.executable))
    progress("laying out weights")
    names = [name for name, _ in params]
    write_weights(made.weights, names, lambda name: _tensors(source, forms, quantization, name))
    config = source.config
    description = {
        "version": VERSION,
        "architecture": source.architecture.name,
        "context_window_size": config.context_window_size,
        "vocab_size": config.vocab_size,
        "activations": activations,
        "cache_type": cache_type,
        "params": names,
    }
    (made.path / "model.json").write_text(json.dumps(description, indent=1))
    return made


def _tensors(
    source: Source, forms: dict[str, BlockFormat], quantization: str | None, name: str
) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors that a weight becomes: those of its blocks, or itself."""
    if name not in forms:
        yield name, source.read(name)
        return
    form = forms[name]
    if not _is_blocks(source, name):
        assert quantization is not None
        weight = source.read(name)
        parts = [quantize(weight.reshape(-1, weight.shape[-1]), quantization)]
    else:
        parts = [_decoded(part) for part in source.parts(name)]
    blocks = Blocks.concatenated(parts).regrouped(form.group)
    if form.has_minimum and (blocks.minimum is None or blocks.zero != form.zero):
        blocks = blocks.with_minimum()
    packed = form.pack(blocks)
    stem = name.removesuffix(".weight")
    # The weights of experts are one after another.
    of = source.shape(name)[:-2]
    for part in ("words", "scale", "minimum"):
        array = getattr(packed, part)
        if array is not None:
            yield f"{stem}.{part}", array.reshape(*of, array.shape[0] // math.prod(of), *array.shape[1:])


def write_weights(path: Path, names: list[str], tensors_of: Callable[[str], Iterator[tuple[str, np.ndarray]]]) -> None:
    """Writes tensors in order into a file of safetensors, each at a multiple of `ALIGNMENT` bytes.

    `tensors_of` gives the tensors of a weight; `names` are those of the tensors, `<stem>.words` and so on for blocks.
    One weight is in memory at a time.
    """
    # Memory for the header in front: a name, a type, sizes and two offsets for each tensor and what is between them.
    room = sum(2 * len(name) + HEADER_BYTES for name in names)
    room = -(-(room + 8) // ALIGNMENT) * ALIGNMENT - 8
    # A process may have mapped a file of that name: it keeps what it has.
    temporary = path.with_name(f"{path.name}.part")
    header: dict[str, Any] = {}
    made: dict[str, np.ndarray] = {}
    end = 0
    with temporary.open("wb") as file:
        file.seek(8 + room)
        for number, name in enumerate(names):
            if name not in made:
                stem, _, part = name.rpartition(".")
                made.update(tensors_of(f"{stem}.weight" if part in ("words", "scale", "minimum") else name))
            if name not in made:
                raise TVMError(f"the model has no weight {name}")
            array = np.ascontiguousarray(made.pop(name))
            padded = -(-end // ALIGNMENT) * ALIGNMENT
            if padded > end:
                header[f"padding.{number}"] = {"dtype": "U8", "shape": [padded - end], "data_offsets": [end, padded]}
                file.write(b"\0" * (padded - end))
            end = padded + array.nbytes
            kind = {"uint8": "U8", "float32": "F32", "float16": "F16"}[str(array.dtype)]
            header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [padded, end]}
            file.write(array.data if array.size else b"")
        text = json.dumps(header, separators=(",", ":")).encode()
        if len(text) > room:
            raise TVMError(f"{path}: {len(text)} bytes of header do not fit the {room} that were kept for it")
        file.seek(0)
        file.write(room.to_bytes(8, "little") + text + b" " * (room - len(text)))
    temporary.replace(path)


def read_weights(folder: CompiledFolder) -> list[Any]:
    """The weights in the order in which functions take them, mapped from the file."""
    file = checkpoint.open(folder.weights)
    description = folder.description
    if description.get("version") != VERSION:
        raise TVMError(f"{folder.path}: compiled by another version of this package: compile the model again")
    return [file[name] for name in description["params"]]
