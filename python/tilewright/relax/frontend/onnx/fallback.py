"""Nodes that ONNX Runtime computes: each is a model of its own, called as a function of the process."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .... import tir
from ....runtime.ndarray import from_dlpack
from ....runtime.packed_func import register_func
from ... import op
from ...struct_info import TensorStructInfo

if TYPE_CHECKING:
    from .custom import OnnxImporter, OnnxNode

__all__ = ["FallbackRecord", "fallback_report", "onnxruntime_node"]

#: The data types of ONNX Runtime's names of element types.
DTYPES = {
    "float": "float32",
    "double": "float64",
    **{name: name for name in ("float16", "bool", *(f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64)))},
}


@dataclass
class FallbackRecord:
    """A node that ONNX Runtime computes, with what that has cost in this process."""

    node: str
    operator: str
    reason: str
    calls: int = 0
    seconds: float = 0.0


_records: dict[str, FallbackRecord] = {}


def fallback_report() -> list[FallbackRecord]:
    """The nodes of imported models that ONNX Runtime computes, with the number and the time of their runs."""
    return list(_records.values())


def onnxruntime_node(node: OnnxNode, importer: OnnxImporter) -> Any:
    """Calls ONNX Runtime for the node: the operator has no rule, or its rule refuses it."""
    import numpy as np

    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError('`fallback="onnxruntime"` needs the package `onnxruntime`') from error

    if node.model is None:
        raise ValueError("it is no model of its own: its attributes hold graphs, or its inputs are no tensors")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(node.model, options, providers=["CPUExecutionProvider"])
    results = [_info_of(session, output, node) for output in session.get_outputs()]
    names = [name for name, _ in node.model_inputs]
    domain = f"{node.domain}." if node.domain else ""
    record = FallbackRecord(node.name, domain + node.op_type, node.reason or "asked for")
    # The same node of a model that is imported again is the same function.
    symbol = f"tilewright.onnxruntime.{hashlib.sha256(node.model).hexdigest()[:24]}"
    _records[symbol] = record

    def run(*tensors: Any) -> Any:
        began = time.perf_counter()
        found = session.run(None, {name: np.from_dlpack(x) for name, x in zip(names, tensors, strict=True)})
        outputs = [from_dlpack(np.ascontiguousarray(array) if array.ndim else array) for array in found]
        record.calls += 1
        record.seconds += time.perf_counter() - began
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    register_func(symbol, run, override=True)
    plain = [TensorStructInfo(dtype=dtype, ndim=len(dims)) for dims, dtype in results]
    arguments = [node.inputs[at] for _, at in node.model_inputs]
    builder = importer.block_builder
    call = builder.emit(op.call_pure_packed(symbol, *arguments, sinfo_args=plain if len(plain) == 1 else _tuple(plain)))
    values = [call] if len(results) == 1 else [builder.emit(call[at]) for at in range(len(results))]
    sized = [builder.match_cast(x, TensorStructInfo(d, t)) for x, (d, t) in zip(values, results, strict=True)]
    # Outputs without a name are none of the model's.
    given = iter(sized)
    return [next(given) if name else None for name in node.outputs]


def _tuple(infos: list[TensorStructInfo]) -> Any:
    from ...struct_info import TupleStructInfo

    return TupleStructInfo(infos)


def _info_of(session: Any, output: Any, node: OnnxNode) -> tuple[list[Any], str]:
    """The sizes and the data type of an output; sizes that only a run knows are new symbolic ones."""
    element = output.type.removeprefix("tensor(").removesuffix(")")
    if element not in DTYPES:
        raise ValueError(f"its output `{output.name}` is of type {output.type}, which is no tensor of this package")

    def size(dim: Any) -> Any:
        known = isinstance(dim, str) and dim[:1] == "d" and dim[1:].isdigit() and int(dim[1:]) < len(node.model_sizes)
        if known:
            return node.model_sizes[int(dim[1:])]
        return dim if isinstance(dim, int) else tir.Var("count", "int64")

    dims = output.shape or [None] * _rank_of(session, output)
    return [size(dim) for dim in dims], DTYPES[element]


def _rank_of(session: Any, output: Any) -> int:
    """The number of dimensions of an output whose shape ONNX Runtime does not say, from a run with zeros."""
    import numpy as np

    inputs = {}
    for one in session.get_inputs():
        dims = [dim if isinstance(dim, int) else 2 for dim in one.shape]
        inputs[one.name] = np.zeros(dims, DTYPES[one.type.removeprefix("tensor(").removesuffix(")")])
    return int(np.ndim(session.run([output.name], inputs)[0]))
