"""The graph operators as Python functions: `relax.op.add(x, y)`, `relax.op.nn.relu(x)`.

There is a function for every operator of the core's table, with its parameters and documentation; the calls between
the levels are written out.
"""

from __future__ import annotations

import sys
from ast import literal_eval
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import Parameter, Signature, signature
from types import ModuleType
from typing import Any

from ... import _core
from ...error import TVMError, WrongTypeError
from ...ir.global_info import VDevice
from ...ir.op import Op
from ...runtime.device import Device
from ...target.target import Target
from ...tir.expr import IntImm, PrimExpr
from ..expr import Call, ExternFunc, PrimValue, ShapeExpr, Tuple
from ..struct_info import StructInfo
from .files import _add_modules

__all__ = [
    "call_builtin_with_ctx", "call_dps_packed", "call_inplace_packed", "call_pure_packed", "call_tir",
    "call_tir_inplace", "call_tir_with_grad", "dense", "invoke_closure", "invoke_pure_closure", "linear", "masked_fill",
    "prim_value", "relu",
]  # fmt: skip


def _listed(items: Any) -> list:
    return list(items) if isinstance(items, (list, tuple, Tuple)) else [items]


def _arguments(args: Any) -> Tuple:
    return args if isinstance(args, Tuple) else Tuple(_listed(args))


def _cross(name: str, func: Any, args: Any, out: Any, attrs: dict[str, Any] | None = None) -> Call:
    return Call(Op.get(f"relax.{name}"), [func, _arguments(args)], attrs, _listed(out))


def _extern(func: Any) -> Any:
    return ExternFunc(func) if isinstance(func, str) else func


def call_tir(gvar: Any, args: Any, out_sinfo: StructInfo | Sequence[StructInfo], tir_vars: Any = None) -> Call:
    """A call of a PrimFunc that allocates its results, as `out_sinfo` says; `tir_vars` are scalars after them."""
    said = None if tir_vars is None else {"tir_vars": list(getattr(tir_vars, "values", tir_vars))}
    return _cross("call_tir", gvar, args, out_sinfo, said)


def call_tir_inplace(
    gvar: Any, args: Any, inplace_indices: int | Sequence[int], out_sinfo: Any, tir_vars: Any = None
) -> Call:
    """The same, where results overwrite arguments; -1 for a result that is allocated."""
    said: dict[str, Any] = {"inplace_indices": _listed(inplace_indices)}
    if tir_vars is not None:
        said["tir_vars"] = list(getattr(tir_vars, "values", tir_vars))
    return _cross("call_tir_inplace", gvar, args, out_sinfo, said)


def call_tir_with_grad(
    gvar: Any, args: Any, out_sinfo: Any, te_grad_name: str, te_grad_kwargs: dict[str, Any] | None = None,
    tir_vars: Any = None,
) -> Call:  # fmt: skip
    """A call of a PrimFunc that says by which function it is differentiated."""
    said: dict[str, Any] = {"te_grad_name": te_grad_name, "te_grad_kwargs": te_grad_kwargs or {}}
    if tir_vars is not None:
        said["tir_vars"] = list(getattr(tir_vars, "values", tir_vars))
    return _cross("call_tir_with_grad", gvar, args, out_sinfo, said)


def call_dps_packed(func: Any, args: Any, out_sinfo: StructInfo | Sequence[StructInfo]) -> Call:
    """A call of a registered function in destination-passing style."""
    return _cross("call_dps_packed", _extern(func), args, out_sinfo)


def call_pure_packed(func: Any, *args: Any, sinfo_args: Any) -> Call:
    """A call of a registered function that the caller says to have no side effect."""
    return Call(Op.get("relax.call_pure_packed"), [_extern(func), *args], None, _listed(sinfo_args))


def call_inplace_packed(func: Any, *args: Any, inplace_indices: Any, sinfo_args: Any) -> Call:
    """A call of a registered function that overwrites some of its arguments, which are dead."""
    said = {"inplace_indices": _listed(inplace_indices)}
    return Call(Op.get("relax.call_inplace_packed"), [_extern(func), *args], said, _listed(sinfo_args))


def call_builtin_with_ctx(func: Any, args: Any, *, sinfo_args: Any = None) -> Call:
    """A call of a registered function that gets the machine that runs it before its arguments."""
    return _cross("call_builtin_with_ctx", _extern(func), args, [] if sinfo_args is None else sinfo_args)


def invoke_closure(closure: Any, args: Any, sinfo_args: Any) -> Call:
    """A call of a function value whose result is as `sinfo_args` says."""
    return _cross("invoke_closure", closure, args, sinfo_args)


def invoke_pure_closure(closure: Any, args: Any, sinfo_args: Any) -> Call:
    """A call of a function value that the caller says to have no side effect."""
    return _cross("invoke_pure_closure", closure, args, sinfo_args)


def shape(dims: Sequence[Any]) -> ShapeExpr:
    """A shape as a value."""
    return ShapeExpr(dims)


def prim_value(value: Any) -> PrimValue:
    """A scalar as a value."""
    return PrimValue(value)


def linear(data: Any, weight: Any, bias: Any = None, out_dtype: Any = "void") -> Call:
    """`data @ weight.T`, plus a bias where there is one."""
    turned = _core.call_op("permute_dims", (weight,), {})
    product = _core.call_op("matmul", (data, turned), {"out_dtype": str(out_dtype or "void")})
    return product if bias is None else _core.call_op("add", (product, bias), {})


def dense(data: Any, weight: Any) -> Call:
    """`data @ weight.T`: the spelling of 2022."""
    return _core.call_op("nn.dense", (data, weight), {})


def _attention(
    query: Any, key: Any, value: Any, bias: Any = None, scale: Any = None, causal_mask: str | None = None,
    window_size: int | None = None,
) -> Call:  # fmt: skip
    """`softmax(query @ keyᵀ * scale + bias) @ value`: `R.nn.attention`, with a bias `R.nn.attention_bias`."""
    said = {"scale": scale, "causal_mask": causal_mask, "window_size": window_size}
    if bias is None:
        return _core.call_op("nn.attention", (query, key, value), said)
    return _core.call_op("nn.attention_bias", (query, key, value, bias), said)


def _attention_bias(
    query: Any, key: Any, value: Any, bias: Any = None, scale: Any = None, causal_mask: str | None = None,
    window_size: int | None = None,
) -> Call:  # fmt: skip
    """The same: `R.nn.attention_bias`, without a bias `R.nn.attention`."""
    return _attention(query, key, value, bias, scale, causal_mask, window_size)


def _attention_var_len(
    queries: Any, keys: Any, values: Any, seqstart_q: Any, max_seqlen_q: Any, seqstart_k: Any = None,
    max_seqlen_k: Any = None, scale: Any = None, causal_mask: str | None = None, window_size: int | None = None,
) -> Call:  # fmt: skip
    """`R.nn.attention_var_len`; where nothing is said of the sequences of keys, they are those of the queries."""
    starts = (seqstart_q, seqstart_q if seqstart_k is None else seqstart_k)
    longest = (max_seqlen_q, max_seqlen_q if max_seqlen_k is None else max_seqlen_k)
    said = {"scale": scale, "causal_mask": causal_mask, "window_size": window_size}
    return _core.call_op("nn.attention_var_len", (queries, keys, values, *starts, *longest), said)


def _pad(data: Any, pad_width: Sequence[int], pad_mode: Any = "constant", pad_value: Any = 0.0) -> Call:
    """`R.nn.pad`; the mode and the value may be swapped, as programs have them."""
    if not isinstance(pad_mode, str):
        pad_mode, pad_value = pad_value if isinstance(pad_value, str) else "constant", pad_mode
    return _core.call_op("nn.pad", (data, pad_width), {"pad_mode": pad_mode, "pad_value": pad_value})


def _alloc_storage(
    size: Any, virtual_device_index: Any = 0, storage_scope: Any = "global", dtype: Any = "uint8", *, bytes: Any = None
) -> Call:
    """`R.memory.alloc_storage`: of a shape of one dimension, in bytes, or of a number of bytes."""
    if (int(virtual_device_index), storage_scope) != (0, "global"):
        raise TVMError(f"memory is of device 0 and of scope `global`, found {virtual_device_index}, `{storage_scope}`")
    if bytes is None:
        dims = getattr(size, "values", size)
        dims = [dims] if not isinstance(dims, Sequence) else list(dims)
        if len(dims) != 1 or not isinstance(dims[0], (int, IntImm)):
            raise TVMError(f"the size is one number of bytes that is known, found {dims}")
        [bytes] = dims
    return _core.call_op("memory.alloc_storage", (), {"bytes": int(bytes)})


def _alloc_tensor(storage: Any, offset: Any, shape: Any, dtype: Any, bytes: Any = 0) -> Call:
    """`R.memory.alloc_tensor`; the shape and the offset may be swapped."""
    if isinstance(offset, (ShapeExpr, list, tuple)):
        offset, shape = shape, offset
    said = {"offset": int(getattr(offset, "value", offset)), "dtype": str(getattr(dtype, "value", dtype))}
    return _core.call_op("memory.alloc_tensor", (storage, shape), {**said, "bytes": bytes})


def masked_fill(x: Any, mask: Any, value: Any) -> Call:
    """The tensor with a value where the mask holds."""
    from ..expr import const

    values = _core.call_op("full_like", (x, const(value, x.struct_info.dtype)), {})
    return _core.call_op("where", (mask, values, x), {})


def relu(data: Any) -> Call:
    """`relax.op.nn.relu`: the spelling of 2022."""
    return _core.call_op("nn.relu", (data,), {})


def _function(name: str) -> Callable[..., Call]:
    parameters, documentation = _core.op_signature(name)
    prepared = _PREPARED.get(name)

    def call(*args: Any, **kwargs: Any) -> Call:
        if prepared is not None:
            parameter, read = prepared
            if parameter in kwargs:
                kwargs[parameter] = read(kwargs[parameter])
            elif len(args) > 1:
                args = (args[0], read(args[1]), *args[2:])
        try:
            return _core.call_op(name, args, kwargs)
        except TVMError as error:
            if isinstance(error, TypeError) or _fits(call, args, kwargs):
                raise
            # Arguments that are missing or too many are what Python calls an error of types.
            raise WrongTypeError(str(error)) from None

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = documentation
    kind = Parameter.POSITIONAL_OR_KEYWORD
    with suppress(ValueError):  # A required parameter behind an optional one: the core says which are which.
        call.__signature__ = Signature(
            [
                Parameter(own, kind, default=Parameter.empty if default is None else literal_eval(default))
                for own, default in parameters
            ],
            return_annotation="Call",
        )
    return call


def _height_and_width(size: Any) -> Any:
    """The size of an image; one number stands for both."""
    return (size, size) if isinstance(size, (int, PrimExpr)) else size


def _device(device: Any) -> Any:
    """A device as an attribute."""
    if isinstance(device, Device):
        device = VDevice(Target.from_device(device), device.device_id)
    if not isinstance(device, VDevice):
        return device
    return {"target": device.target_text, "vdevice_id": device.vdevice_id, "memory_scope": device.memory_scope}


#: For an operator the second of its parameters, and what is taken in its place.
_PREPARED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "image.resize2d": ("size", _height_and_width),
    "to_vdevice": ("dst_vdevice", _device),
    "hint_on_device": ("dst_vdevice", _device),
}


def _fits(call: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Whether the arguments are as many and called as the function's parameters."""
    try:
        getattr(call, "__signature__", signature(call)).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _module(path: str) -> ModuleType:
    """The module of a family such as `nn`, made where it is not there yet."""
    full = f"{__name__}.{path}" if path else __name__
    if full not in sys.modules:
        sys.modules[full] = ModuleType(full, f"The graph operators `R.{path}.…`.")
        parent, _, last = path.rpartition(".")
        setattr(_module(parent), last, sys.modules[full])
    return sys.modules[full]


# Those whose parameters are in another order than the operator's arguments.
_OTHERWISE = {
    "nn.attention": _attention, "nn.attention_bias": _attention_bias, "nn.attention_var_len": _attention_var_len,
    "nn.pad": _pad, "memory.alloc_storage": _alloc_storage, "memory.alloc_tensor": _alloc_tensor,
}  # fmt: skip
for _name, _called in _OTHERWISE.items():
    _called.__name__ = _called.__qualname__ = _name.rpartition(".")[2]

for _name in _core.graph_op_names():
    _family, _, _short = _name.rpartition(".")
    if not hasattr(_module(_family), _short):
        setattr(_module(_family), _short, _OTHERWISE.get(_name) or _function(_name))
        if not _family:
            __all__ += [_short]

_add_modules(sys.modules[__name__])
