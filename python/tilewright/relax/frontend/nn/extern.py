"""Functions in C or C++ that a model calls: in a source, an object file or a shared library.

A function is `int name(DLTensor *, …)`, or `extern "C" int name(…)` in C++: it gets the tensors of its arguments, then
those that it fills, each as DLPack lays them out; between them an integer is an `int64_t`, another number a `double`,
a text a `const char *`. It returns 0, or anything else for an error. `symbols` has for each name a function of Python
that says for tensors (`nn.Tensor`) what the results are: `nn.Tensor.placeholder(shape, dtype)` or a tuple of those.

It is native code with the rights of the process: load what you would load as a shared library.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....error import TVMError
from ....runtime import register_func
from ....runtime.ndarray import NDArray
from .core import refused
from .op.custom import extern

__all__ = ["ExternModule", "ObjectModule", "SourceModule"]

_SUFFIXES = {"c": ".c", "cpp": ".cc", "cc": ".cc"}


class ExternModule:
    """Functions by name: `module["name"](x, y)` in a method calls one."""

    def __init__(self, symbols: Mapping[str, Callable[..., Any]]) -> None:
        self._symbols = dict(symbols)
        self._library: ctypes.CDLL | None = None

    @property
    def names(self) -> list[str]:
        """The names of the functions."""
        return list(self._symbols)

    def __getitem__(self, func_name: str) -> Callable[..., Any]:
        if func_name not in self._symbols:
            raise refused(f"the external module has no function `{func_name}`, only {', '.join(self._symbols)}")

        def call(*args: Any) -> Any:
            from .exporter import Exporter

            if (exporter := Exporter.current()) is not None:
                exporter.add_external_module(self)
            return extern(func_name, args, self._symbols[func_name](*args))

        call.__name__ = func_name
        return call

    def library(self) -> Path:
        """The shared library that has the functions."""
        raise NotImplementedError(f"{type(self).__name__} has no code: use ObjectModule or SourceModule")

    def load(self) -> None:
        """Registers the functions with this process, under their names; models that call them can run then."""
        if self._library is None:
            path = self.library()
            try:
                self._library = ctypes.CDLL(str(path))
            except OSError as error:
                raise refused(f"{path} cannot be loaded: {error}") from error
        for name in self._symbols:
            try:
                function = self._library[name]
            except AttributeError as error:
                raise refused(f"the external module defines no function `{name}` (with C's linkage)") from error
            function.restype = ctypes.c_int
            register_func(name, _packed(name, function), override=True)


class ObjectModule(ExternModule):
    """Functions in an object file, which the machine's compiler links, or in a shared library."""

    def __init__(self, symbols: Mapping[str, Callable[..., Any]], filepath: str | os.PathLike[str]) -> None:
        super().__init__(symbols)
        self.filepath = Path(filepath)
        if not self.filepath.is_file():
            raise refused(f"there is no file {self.filepath}")

    def library(self) -> Path:
        """The file itself, or what it is linked to."""
        if self.filepath.suffix in (".so", ".dylib"):
            return self.filepath.resolve()
        return _made([_compiler(None), "-shared", str(self.filepath)])


class SourceModule(ExternModule):
    """Functions in C or C++, which the machine's compiler compiles: `compiler`, or what `CXX` says, or `c++`."""

    def __init__(
        self,
        symbols: Mapping[str, Callable[..., Any]],
        source_code: str | os.PathLike[str],
        source_format: str = "cpp",
        compile_options: Sequence[str] | None = None,
        compiler: str | None = None,
        output_format: str = "obj",
    ) -> None:
        super().__init__(symbols)
        if source_format not in _SUFFIXES:
            raise refused(f"source_format is one of {', '.join(_SUFFIXES)}, found {source_format!r}")
        if output_format not in ("obj", "shared"):
            raise refused(f"output_format is obj or shared, found {output_format!r}")
        is_file = isinstance(source_code, os.PathLike) or ("\n" not in source_code and Path(source_code).is_file())
        self.source_code = Path(source_code).read_text() if is_file else str(source_code)
        self.source_format, self.compiler = source_format, compiler
        self.compile_options = list(self.get_compile_options() if compile_options is None else compile_options)

    @staticmethod
    def get_includes() -> list[Path]:
        """The folders with the headers that sources may include: `dlpack/dlpack.h`."""
        return [Path(__file__).parent / "include"]

    @staticmethod
    def get_compile_options() -> list[str]:
        """What the compiler is told unless `compile_options` says something else."""
        return ["-O3", "-fPIC", *(f"-I{folder}" for folder in SourceModule.get_includes())]

    def library(self) -> Path:
        """What the source is compiled and linked to."""
        language = "c" if self.source_format == "c" else "c++"
        command = [_compiler(self.compiler), "-x", language, "-", "-shared", "-fPIC", *self.compile_options]
        return _made(command, self.source_code)


def _compiler(said: str | None) -> str:
    import shutil

    for name in (said, os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and (found := shutil.which(name)):
            return found
        if name and name == said:
            raise refused(f"there is no compiler `{said}`")
    raise refused("there is no C++ compiler on this machine, which an external module needs")


def _made(command: list[str], source: str | None = None) -> Path:
    """The library that the command makes in a folder of its own, which is deleted when the process ends."""
    import subprocess
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="tilewright-extern-")
    _FOLDERS.append(folder)
    path = Path(folder.name) / "lib.so"
    done = subprocess.run([*command, "-o", str(path)], input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise refused(f"{Path(command[0]).name} does not compile the external module:\n{done.stderr.strip()}")
    return path


#: Kept until the process ends: removing a library that is loaded is not safe everywhere.
_FOLDERS: list[Any] = []


def _packed(name: str, function: Any) -> Callable[..., None]:
    def call(*args: Any) -> None:
        capsules = [_capsule(value) if isinstance(value, NDArray) else None for value in args]
        given = [_plain(value) if own is None else own[1] for value, own in zip(args, capsules, strict=True)]
        status = function(*given)
        if status:
            raise TVMError(f"the external function `{name}` failed with status {status}")

    return call


def _capsule(tensor: NDArray) -> tuple[Any, ctypes.c_void_p]:
    """What keeps the tensor, and where its DLTensor lies: at the beginning of a DLManagedTensor."""
    capsule = tensor.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return capsule, ctypes.c_void_p(pointer(capsule, b"dltensor"))


def _plain(value: Any) -> Any:
    match value:
        case bool() | int():
            return ctypes.c_int64(value)
        case float():
            return ctypes.c_double(value)
        case str():
            return ctypes.c_char_p(value.encode())
        case _:
            raise TVMError(f"an external function takes tensors, numbers and texts, found {type(value).__name__}")
