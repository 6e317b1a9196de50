"""Models that are ready to run: `load` takes a file or a model, and gives a `Session`.

    session = tilewright.load("model.onnx")
    session.inputs            # [TensorSpec(name='x', shape=('batch', 3, 224, 224), dtype='float32')]
    session.run({"x": image})["scores"]
    session(image)

A session may be used from many threads at once. What is compiled is kept in a cache, by the content of the file, so
that the next `load` reads it from there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from .error import TVMError
from .runtime.device import cpu

if TYPE_CHECKING:
    from .ir.module import IRModule
    from .target import Target

__all__ = ["Session", "TensorSpec", "load"]

#: The function that a session calls.
MAIN = "main"
#: The first bytes of an executable file.
EXECUTABLE = b"TILEWRT\0"


@dataclass(frozen=True)
class TensorSpec:
    """An input or an output: its name, its shape (numbers, and the names of symbolic dimensions) and its data type."""

    name: str
    shape: tuple[int | str, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


class Session:
    """A compiled model. `load` makes it. `metadata` are the texts that an ONNX model has for whoever uses it."""

    def __init__(self, executable: _core.Executable) -> None:
        self.executable = executable
        self._core = _core.Session(executable)
        self._main = _core.VirtualMachine(executable, cpu())[MAIN]
        self.inputs = [TensorSpec(name, tuple(shape), dtype) for name, shape, dtype in self._core.inputs]
        self.outputs = [TensorSpec(name, tuple(shape), dtype) for name, shape, dtype in self._core.outputs]
        self.metadata: dict[str, str] = self._core.metadata
        self._is_tuple = self._core.gives_tuple
        self._input_names = tuple(spec.name for spec in self.inputs)
        self._output_names = tuple(spec.name for spec in self.outputs)
        # Names of a model that are no identifiers have another spelling as parameters.
        self._other_names = dict(zip(self._core.parameters, self._input_names, strict=True))

    def __repr__(self) -> str:
        listed = [", ".join(map(str, specs)) for specs in (self.inputs, self.outputs)]
        return f"Session({listed[0]}) -> {listed[1]}"

    def run(self, feeds: Mapping[str, Any], out: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The outputs by name for inputs by name.

        Inputs are NumPy arrays, torch tensors, `NDArray`s or anything else with DLPack, and outputs are what the first
        input is. An input of another data type is refused. `out` gives arrays, by names of outputs, that the results
        are written into; they are those that are returned.
        """
        try:
            args = [feeds[name] for name in self._input_names]
        except KeyError:
            args = None
        if args is None or len(feeds) != len(args):
            args = self._by_other_names(feeds)
        results = self._called(args)
        found = dict(zip(self._output_names, results, strict=True))
        if out is not None:
            self._write(found, out)
        return found

    def __call__(self, *args: Any, **feeds: Any) -> Any:
        """The output, or a tuple of all, for inputs in order or by name."""
        if feeds or len(args) != len(self._input_names):
            if len(args) > len(self._input_names):
                raise TypeError(f"the model has {len(self._input_names)} inputs, {len(args)} are given: {self!r}")
            positional = dict(zip(self._input_names, args, strict=False))
            if twice := [name for name in feeds if name in positional]:
                raise TypeError(f"given by position and by name: {', '.join(twice)}")
            args = tuple(self._by_other_names({**positional, **feeds}))
        results = self._called(args)
        return results[0] if len(results) == 1 and not self._is_tuple else tuple(results)

    def _by_other_names(self, feeds: Mapping[str, Any]) -> list[Any]:
        """The inputs in order, of which each has one of its names; `ValueError` lists all that are wrong."""
        given = {self._other_names.get(name, name): value for name, value in feeds.items()}
        problems = [f"`{name}` is no input" for name in given if name not in self._input_names]
        problems += [f"`{spec.name}` is missing: {spec}" for spec in self.inputs if spec.name not in given]
        if len(given) != len(feeds):
            problems.append("an input is given by two of its names")
        if problems:
            raise ValueError(f"{'; '.join(problems)}. The inputs are {', '.join(map(str, self.inputs))}")
        return [given[name] for name in self._input_names]

    def _called(self, args: Sequence[Any]) -> Sequence[Any]:
        try:
            found = self._main(*args)
        except (TVMError, TypeError, ValueError) as error:
            if problems := self._problems(args):
                raise ValueError("; ".join(problems)) from error
            compact = [_compact(value) for value in args]
            if all(new is old for new, old in zip(compact, args, strict=True)):
                raise
            found = self._main(*compact)
        results = tuple(found) if self._is_tuple else (found,)
        return _like(args[0], results) if args else results

    def _problems(self, args: Sequence[Any]) -> list[str]:
        """What is wrong with inputs, each for itself and all at once."""
        problems, found = [], []
        for spec, value in zip(self.inputs, args, strict=True):
            shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
            if shape is None or dtype is None:
                problems.append(f"`{spec.name}` is a {type(value).__name__}, no tensor: {spec}")
                found.append(None)
            else:
                found.append((str(dtype).removeprefix("torch."), [int(size) for size in shape]))
        return problems + self._core.problems(found)

    def _write(self, found: dict[str, Any], out: Mapping[str, Any]) -> None:
        import numpy as np

        problems = [f"`{name}` is no output" for name in out if name not in found]
        for name, array in out.items():
            if not isinstance(_host(array), np.ndarray):
                problems.append(f"`out` of `{name}` is a {type(array).__name__}, no array of NumPy or tensor of torch")
        if problems:
            raise ValueError("; ".join(problems))
        arrays = {name: _host(array) for name, array in out.items()}
        results = {name: np.asarray(_host(found[name])) for name in arrays}
        for name, array in arrays.items():
            result = results[name]
            if array.shape != result.shape or array.dtype != result.dtype:
                problems.append(
                    f"`{name}` is {result.dtype}{list(result.shape)}, `out` has {array.dtype}{list(array.shape)}"
                )
            elif not array.flags.writeable:
                problems.append(f"`out` of `{name}` is read-only")
        if problems:
            raise ValueError("; ".join(problems))
        for name, array in arrays.items():
            np.copyto(array, results[name])
            found[name] = out[name]


def _compact(value: Any) -> Any:
    """The tensor, or a copy of it whose elements lie in order."""
    if hasattr(value, "contiguous"):
        return value.contiguous()
    flags = getattr(value, "flags", None)
    return value if flags is None or flags.c_contiguous else value.copy(order="C")


def _host(array: Any) -> Any:
    """What NumPy takes: torch's tensors share their memory."""
    return array.detach().numpy() if hasattr(array, "detach") else array


def _like(first: Any, results: Sequence[Any]) -> Sequence[Any]:
    """Results of the kind of an input: arrays of NumPy, tensors of torch, or tensors of this package as they are."""
    if isinstance(first, _core.NDArray):
        return results
    if type(first).__module__.partition(".")[0] == "torch":
        from torch.utils.dlpack import from_dlpack

        return [from_dlpack(result) for result in results]
    return [_array(result) for result in results]


def _array(result: _core.NDArray) -> Any:
    """An array in the memory of a result, or a copy; a result of a type that NumPy lacks stays as it is."""
    import numpy as np

    if result.dtype == "bfloat16":
        return result
    try:
        return np.from_dlpack(result)
    except (BufferError, RuntimeError, TypeError, ValueError):
        return result.numpy()


def load(
    model: Any,
    inputs: Sequence[Any] | None = None,
    *,
    target: str | dict[str, Any] | Target | None = None,
    shapes: Mapping[str, Sequence[Any]] | None = None,
    values: Mapping[str, Any] | None = None,
    cache: bool | str | os.PathLike[str] = True,
    progress: bool = False,
) -> Session:
    """The model, compiled and ready to run.

    `model` is the path of an ONNX file, of a `torch.export` archive (`.pt2`) or of an executable; the bytes of an ONNX
    file, or an `onnx.ModelProto`; a `torch.export.ExportedProgram`; a `torch.nn.Module`, with example `inputs`; an
    `IRModule` whose function `main` takes and gives tensors; or an `Executable`.

    `target` is the machine to compile for, by default this one. `shapes` and `values` are those of inputs of an ONNX
    model, as `relax.frontend.onnx.from_onnx` takes them. `cache` is whether what is compiled of a file is kept, or the
    folder where: by default `models` in that of the environment's `TILEWRIGHT_CACHE_DIR`, else in `tilewright` in the
    user's folder of caches. With `progress`, standard error shows what the compiler is doing.
    """
    if isinstance(model, _core.Executable):
        return Session(model)
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview, str, os.PathLike)):
        if shapes or values:
            raise TypeError("`shapes` and `values` are for models of ONNX")
        return Session(_built(_module_of(model, inputs), target, progress))
    if inputs is not None:
        raise TypeError("example inputs are for a `torch.nn.Module`")
    if not isinstance(model, (bytes, bytearray, memoryview)):
        path = os.fspath(model)
        sort = _sort_of(path)
        if sort != "onnx" and (shapes or values):
            raise TypeError("`shapes` and `values` are for models of ONNX")
        if sort == "executable":
            return Session(_core.Executable.load(path))
        if sort == "pt2":
            import torch

            return Session(_built(_module_of(torch.export.load(path), None), target, progress))
    folder = _cache_of(cache)
    path = None if isinstance(model, (bytes, bytearray, memoryview)) else os.fspath(model)
    content = bytes(model) if path is None else Path(path).read_bytes()
    key = None
    if folder is not None:
        key = folder.key(content, path, _said(target, shapes, values))
        if (kept := folder.read(key)) is not None:
            return Session(kept)
    executable = _of_onnx(content if path is None else path, content, target, progress, shapes, values)
    if key is not None:
        folder.write(key, executable)
    return Session(executable)


def _cache_of(chosen: bool | str | os.PathLike[str]) -> _core.SessionCache | None:
    """The folder that a user has chosen; `None` for no cache."""
    if chosen is False:
        return None
    return _core.SessionCache.of_user() if chosen is True else _core.SessionCache(chosen)


def _said(target: Any, shapes: Mapping[str, Sequence[Any]] | None, values: Mapping[str, Any] | None) -> list[str]:
    """What decides, with the model, what it becomes: the machine, the options and the passes in scope."""
    import numpy as np

    from .ir.transform import PassContext
    from .target import Target

    scope = PassContext.current()
    passes = (
        scope.opt_level,
        sorted(scope.required_pass),
        sorted(scope.disabled_pass),
        sorted(map(str, scope.config.items())),
    )
    arrays = {
        name: np.asarray(value.numpy() if hasattr(value, "numpy") else value) for name, value in (values or {}).items()
    }
    held = [(name, str(array.dtype), array.shape, array.tobytes()) for name, array in sorted(arrays.items())]
    return [str(Target.choose(target)), repr(shapes), repr(held), repr(passes)]


def _sort_of(path: str) -> str:
    """What a file is, by its first bytes where these say it."""
    with open(path, "rb") as file:
        start = file.read(8)
    if start == EXECUTABLE:
        return "executable"
    if start.startswith(b"PK") and path.endswith(".pt2"):
        return "pt2"
    if path.endswith(".onnx") or start[:1] == b"\x08":
        return "onnx"
    raise ValueError(f"{path} is none of: an ONNX model (.onnx), a torch.export archive (.pt2), an executable")


def _of_onnx(
    model: str | bytes,
    content: bytes,
    target: Any,
    progress: bool,
    shapes: Mapping[str, Sequence[Any]] | None,
    values: Mapping[str, Any] | None,
) -> _core.Executable:
    from .relax.frontend.onnx import from_onnx

    module = from_onnx(model, shapes, values=values)
    return _built(module, target, progress, _core.ModelInfo(content, list(values or ())))


def _built(module: IRModule, target: Any, progress: bool, model: _core.ModelInfo | None = None) -> _core.Executable:
    from .relax.vm_build import build

    return build(module, target, progress=progress, model=model)


def _module_of(model: Any, inputs: Sequence[Any] | None) -> IRModule:
    """The module of a model in memory."""
    from .ir.module import IRModule

    if isinstance(model, IRModule):
        return model
    kind = type(model).__name__
    if kind != "ExportedProgram" and not hasattr(model, "named_parameters"):
        raise TypeError(f"no model is loaded from a {kind}: see the documentation of `tilewright.load`")
    import torch

    from .relax.frontend.torch import from_exported_program

    if kind != "ExportedProgram":
        if inputs is None:
            raise TypeError("a `torch.nn.Module` needs example inputs: load(module, (x,))")
        model = torch.export.export(model.eval(), tuple(inputs))
    return from_exported_program(model, keep_params_as_input=False)
