"""NVIDIA's compiler, where this machine has it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .cc import run
from .utils import tempdir

__all__ = [
    "compile_cuda",
    "find_cuda_path",
    "get_cuda_version",
    "get_target_compute_version",
    "have_bf16",
    "have_cudagraph",
    "have_fp8",
    "have_fp16",
    "have_int8",
    "have_tensorcore",
    "parse_compute_version",
]  # fmt: skip


def find_cuda_path() -> str:
    """The folder of CUDA: the environment's `CUDA_PATH`, that of `nvcc`, or `/usr/local/cuda`."""
    if path := os.environ.get("CUDA_PATH"):
        return path
    if compiler := shutil.which("nvcc"):
        return str(Path(compiler).resolve().parent.parent)
    if os.path.exists("/usr/local/cuda/bin/nvcc"):
        return "/usr/local/cuda"
    raise RuntimeError("this machine has no CUDA: set the environment's CUDA_PATH")


def get_cuda_version(cuda_path: str | None = None) -> tuple[int, ...]:
    """The version of CUDA."""
    text = run([os.path.join(cuda_path or find_cuda_path(), "bin", "nvcc"), "--version"])
    named = text.rsplit("release ", 1)[-1].split(",")[0]
    return tuple(int(part) for part in named.split("."))


def compile_cuda(
    code: str,
    target_format: str = "ptx",
    arch: str | None = None,
    options: str | Sequence[str] | None = None,
    path_target: str | None = None,
) -> bytearray:
    """What NVIDIA's compiler makes of a source: `ptx`, `cubin` or `fatbin`."""
    if target_format not in ("cubin", "ptx", "fatbin"):
        raise ValueError(f"the format is one of cubin, ptx and fatbin, found `{target_format}`")
    folder = tempdir()
    source, output = folder.relpath("kernel.cu"), path_target or folder.relpath(f"kernel.{target_format}")
    Path(source).write_text(code, encoding="utf-8")
    compiler = os.path.join(find_cuda_path(), "bin", "nvcc")
    arch = arch or f"sm_{''.join(map(str, parse_compute_version(get_target_compute_version())))}"
    named = [options] if isinstance(options, str) else list(options or ())
    run([compiler, f"--{target_format}", "-O3", "-arch", arch, *named, "-o", output, source])
    return bytearray(Path(output).read_bytes())


def get_target_compute_version(target: Any = None) -> str:
    """The compute capability as text, such as `8.0`: that of a target's `arch`, or of the target in scope."""
    from ..target import Target

    target = target or Target.current()
    arch = None if target is None else target.attrs.get("arch")
    if arch and arch.startswith("sm_"):
        digits = arch.removeprefix("sm_").rstrip("abcdefghijklmnopqrstuvwxyz")
        return f"{digits[:-1]}.{digits[-1]}"
    raise ValueError("no compute capability is known: give the target an arch such as `cuda -arch=sm_80`")


def parse_compute_version(compute_version: str) -> tuple[int, int]:
    """The two numbers of a compute capability."""
    major, _, minor = compute_version.partition(".")
    try:
        return int(major), int(minor or 0)
    except ValueError:
        raise RuntimeError(f"`{compute_version}` is no compute capability such as 8.0") from None


def have_fp16(compute_version: str) -> bool:
    """Whether such a device computes in float16."""
    return parse_compute_version(compute_version) >= (5, 3)


def have_int8(compute_version: str) -> bool:
    """Whether such a device has dot products of int8."""
    return parse_compute_version(compute_version) >= (6, 1)


def have_tensorcore(compute_version: str | None = None, target: Any = None) -> bool:
    """Whether such a device has tensor cores."""
    try:
        return parse_compute_version(compute_version or get_target_compute_version(target))[0] >= 7
    except ValueError:
        return False


def have_cudagraph() -> bool:
    """Whether launches can be recorded."""
    try:
        return get_cuda_version() >= (10, 0)
    except RuntimeError:
        return False


def have_bf16(compute_version: str) -> bool:
    """Whether such a device computes in bfloat16."""
    return parse_compute_version(compute_version) >= (8, 0)


def have_fp8(compute_version: str) -> bool:
    """Whether such a device computes in float8."""
    return parse_compute_version(compute_version) >= (8, 9)
