"""Models of ONNX: a file becomes a module. The package `onnx` is not needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .... import _core
from ....runtime.ndarray import array
from .custom import OnnxImporter, OnnxNode
from .fallback import FallbackRecord, fallback_report, onnxruntime_node

if TYPE_CHECKING:
    from ....ir.module import IRModule

__all__ = ["FallbackRecord", "OnnxImporter", "OnnxNode", "fallback_report", "from_onnx"]

#: What may compute nodes that have no rule.
FALLBACKS = {None: None, "onnxruntime": onnxruntime_node}


def from_onnx(
    model: Any,
    shape_dict: Mapping[str, Sequence[Any] | None] | None = None,
    dtype_dict: str | Mapping[str, str] | None = "float32",
    opset: int | None = None,
    keep_params_in_input: bool = False,
    sanitize_input_names: bool = True,
    *,
    values: Mapping[str, Any] | None = None,
    custom_convert_map: Mapping[str, Callable[[OnnxNode, OnnxImporter], Any]] | None = None,
    fallback: str | None = None,
) -> IRModule:
    """The module whose function `main` computes what a model of ONNX computes.

    `model` is the path of a file, its bytes, or an `onnx.ModelProto`. Tensors that the model keeps in other files are
    read where it is given by its path, from the folder of the model alone.

    `shape_dict` gives inputs other shapes than the model says: sizes are numbers, `tir.Var`s, or names of symbolic
    dimensions. A dimension that the model names is symbolic, and the same one in all inputs. The shape of a sequence is
    the list of the shapes of its tensors, which says how long it is; that of an optional value that is absent is
    `None`. `dtype_dict`, by the names of inputs, gives them other data types; one type for all leaves those of the
    model. `opset` is the version of the operators in place of the one that the model states.

    `values` are those of inputs that are the same in all runs, such as a sampling rate: they become constants, and
    conditions, axes and shapes that follow from them are known.

    The model's tensors become constants; with `keep_params_in_input` those of floats become inputs after the others,
    and `relax.frontend.detach_params` gives their values. With `sanitize_input_names` the names of inputs become
    identifiers.

    Nodes whose operators have no rule are an error that lists them all, with their names in `nodes`.
    `custom_convert_map` supplies rules, or others than there are, by the names of operators with their domain, such as
    `com.example.Scale`, or without it for the standard one: `f(node, importer)` gives the value of the node, or a tuple
    of several, and may emit with `importer.block_builder`. With `fallback="onnxruntime"` ONNX Runtime, where it is
    installed, computes the nodes that have no rule, and those that their rules refuse; `fallback_report` lists them
    with the time that they take. Such a module runs in this process alone.

        mod = from_onnx("model.onnx", shape_dict={"input": [1, 3, 224, 224]})
    """
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytearray, memoryview)):
        model = bytes(model)
    if not isinstance(model, bytes):
        model = os.fspath(model)
    options: dict[str, Any] = {
        "shapes": {name: shape if shape is None else list(shape) for name, shape in (shape_dict or {}).items()},
        "dtypes": dict(dtype_dict) if isinstance(dtype_dict, Mapping) else {},
        "values": {name: array(value) for name, value in (values or {}).items()},
        "params_as_input": keep_params_in_input,
        "sanitize_input_names": sanitize_input_names,
    }
    if opset is not None:
        options["opset"] = opset
    if fallback not in FALLBACKS:
        raise ValueError(f'`fallback` is None or "onnxruntime", found {fallback!r}')
    importer = OnnxImporter(custom_convert_map, FALLBACKS[fallback])
    options["custom"] = importer.operators
    return _core.import_onnx(model, options, importer.block_builder, importer.translate)
