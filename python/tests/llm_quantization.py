"""Group quantisation in the manner of MLC LLM: layers that hold codes, and a mutator that puts them in."""

from dataclasses import dataclass, field
from typing import Any, Literal

import tilewright as tw
from tilewright import IRModule, relax, te, tir, topi
from tilewright.relax.frontend import nn
from tilewright.runtime import DataType, DataTypeCode, NDArray


def convert_uint_to_float(weight: te.Tensor, bits: int, per_word: int, words: str, dtype: str, axis: int, shape: Any):
    """The codes of words as numbers of `dtype`; codes are along `axis`."""
    mask = tir.const((1 << bits) - 1, words)

    def code(*idx: tir.Var):
        word = weight(*idx[:axis], idx[axis] // per_word, *idx[axis + 1 :])
        shift = (idx[axis] % per_word * bits).astype(words)
        return tir.bitwise_and(tir.shift_right(word, shift), mask).astype(dtype)

    return te.compute(shape, code)


def is_final_fc(name: str) -> bool:
    return name in ("head", "lm_head", "lm_head.linear", "embed_out")


@dataclass
class GroupQuantize:
    name: str
    group_size: int
    quantize_dtype: Literal["int3", "int4", "int8"]
    storage_dtype: Literal["uint32"]
    model_dtype: Literal["float16", "float32"]
    linear_weight_layout: Literal["KN", "NK"]
    quantize_embedding: bool = True
    quantize_final_fc: bool = True
    round_away: bool = False
    _compiled: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self):
        kind, words = DataType(self.quantize_dtype), DataType(self.storage_dtype)
        assert kind.type_code == DataTypeCode.INT and words.type_code == DataTypeCode.UINT
        self.bits, self.num_elem_per_storage = kind.bits, words.bits // kind.bits
        assert self.group_size % self.num_elem_per_storage == 0
        self.num_storage_per_group = self.group_size // self.num_elem_per_storage
        self.max_int_value = (2 ** (kind.bits - 1)) - 1
        self.linear_quant_axis = 0 if self.linear_weight_layout == "KN" else 1

    def quantize_model(self, model: nn.Module, quant_map: dict[str, list[str]], name_prefix: str = "") -> nn.Module:
        """Exchanges layers; `quant_map` gets the weights' names and those of what they become."""
        config = self

        class _Mutator(nn.Mutator):
            def visit_module(self, name: str, node: nn.Module) -> Any:
                if isinstance(node, nn.Linear):
                    if is_final_fc(name) and not config.quantize_final_fc:
                        return node
                    if name.endswith("gate") and isinstance(node.out_features, int) and node.out_features <= 64:
                        return node
                    quant_map[f"{name}.weight"] = [f"{name}.q_weight", f"{name}.q_scale"]
                    return GroupQuantizeLinear.from_linear(node, config)
                if isinstance(node, nn.Embedding) and config.quantize_embedding:
                    quant_map[f"{name}.weight"] = [f"{name}.q_weight", f"{name}.q_scale"]
                    return GroupQuantizeEmbedding.from_embedding(node, config)
                return self.visit(name, node)

        model.to(dtype=self.model_dtype)
        return _Mutator().visit(name_prefix, model)

    def _dequantize(self, weight: te.Tensor, scale: te.Tensor, axis: int, out_shape: Any = None):
        most = tir.const(self.max_int_value, self.model_dtype)
        shape = out_shape or [
            dim * self.num_elem_per_storage if at == axis else dim for at, dim in enumerate(weight.shape)
        ]
        codes = convert_uint_to_float(
            weight, self.bits, self.num_elem_per_storage, self.storage_dtype, self.model_dtype, axis, shape
        )
        return te.compute(
            shape,
            lambda *idx: tir.multiply(
                tir.subtract(codes(*idx), most), scale(*idx[:axis], idx[axis] // self.group_size, *idx[axis + 1 :])
            ),
            name="dequantize",
        )

    def quantize_weight(self, weight: NDArray, axis: int = -1, output_transpose: bool = False) -> list[NDArray]:
        """The codes and scales of a weight, computed by a compiled function of its shape."""
        key = (tuple(weight.shape), weight.dtype, axis, output_transpose)
        if key not in self._compiled:
            module = self._quantize_module(weight.shape, weight.dtype, axis, output_transpose)
            with tw.target.Target("llvm"):
                executable = relax.build(module, target="llvm")
            self._compiled[key] = relax.VirtualMachine(executable, tw.cpu())["main"]
        return list(self._compiled[key](weight))

    def _quantize_module(self, shape: Any, dtype: str, axis: int, output_transpose: bool) -> IRModule:
        bb = relax.BlockBuilder()
        weight = relax.Var("weight", relax.TensorStructInfo(shape, dtype))
        with bb.function(name="main", params=[weight]):
            with bb.dataflow():
                made = bb.emit_te(self._quantize, weight, axis, output_transpose)
                out = bb.emit_output(made)
            bb.emit_func_output(out)
        return bb.finalize()

    def _quantize(self, weight: te.Tensor, axis: int = -1, output_transpose: bool = False):
        dtype, words = self.model_dtype, self.storage_dtype
        most = tir.const(self.max_int_value, dtype)
        shape = weight.shape
        axis = axis % len(shape)
        k = shape[axis]
        num_group = tir.ceildiv(k, self.group_size)

        def along(idx: Any, at: Any) -> Any:
            return (*idx[:axis], at, *idx[axis + 1 :])

        r = te.reduce_axis((0, self.group_size), name="r")
        max_abs = te.compute(
            along(shape, num_group),
            lambda *idx: te.max(
                tir.if_then_else(
                    idx[axis] * self.group_size + r < k,
                    te.abs(weight(*along(idx, idx[axis] * self.group_size + r))),
                    te.min_value(dtype),
                ),
                axis=r,
            ),
            name="max_abs_value",
        )
        scale = te.compute(max_abs.shape, lambda *idx: max_abs(*idx).astype(dtype) / most, name="scale")

        def rounded(value: Any) -> Any:
            return tir.floor(value + tir.const(0.5, dtype)) if self.round_away else tir.round(value)

        scaled = te.compute(
            shape,
            lambda *idx: tir.min(
                tir.max(
                    rounded(weight(*idx) / scale(*along(idx, idx[axis] // self.group_size)) + most),
                    tir.const(0, dtype),
                ),
                most * tir.const(2, dtype),
            ).astype(words),
            name="scaled_weight",
        )
        per = self.num_elem_per_storage
        e = te.reduce_axis((0, per), name="e")
        packed = te.compute(
            along(shape, self.num_storage_per_group * num_group),
            lambda *idx: tir.sum(
                tir.if_then_else(
                    idx[axis] * per + e < k,
                    scaled(*along(idx, idx[axis] * per + e)) << (e * self.bits).astype(words),
                    tir.const(0, words),
                ),
                axis=e,
            ),
            name="weight",
        )
        if output_transpose:
            return topi.transpose(packed), topi.transpose(scale)
        return packed, scale


def _shape(config: GroupQuantize, rows: Any, k: int) -> tuple[list[Any], list[Any]]:
    """Of codes and scales along the last axis."""
    groups = -(-k // config.group_size)
    return [rows, config.num_storage_per_group * groups], [rows, groups]


class GroupQuantizeLinear(nn.Module):
    def __init__(self, in_features: int, out_features: Any, config: GroupQuantize, bias: bool, out_dtype: str | None):
        self.in_features, self.out_features, self.out_dtype, self.config = in_features, out_features, out_dtype, config
        codes, scales = _shape(config, out_features, in_features)
        if config.linear_weight_layout == "KN":
            codes, scales = codes[::-1], scales[::-1]
        self.q_weight = nn.Parameter(codes, config.storage_dtype)
        self.q_scale = nn.Parameter(scales, config.model_dtype)
        self.bias = nn.Parameter((out_features,), out_dtype or config.model_dtype) if bias else None

    @staticmethod
    def from_linear(src: nn.Linear, config: GroupQuantize) -> "GroupQuantizeLinear":
        out = src.out_features if isinstance(src.out_features, int) else src.weight.shape[0]
        out = out if isinstance(out, int) else out.name
        made = GroupQuantizeLinear(src.in_features, out, config, getattr(src, "bias", None) is not None, src.out_dtype)
        if made.bias is not None:
            made.bias.attrs = src.bias.attrs
        return made

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        kn = self.config.linear_weight_layout == "KN"

        def dequantize(weight, scale):
            out = weight.shape[1] if kn else weight.shape[0]
            shape = [self.in_features, out] if kn else [out, self.in_features]
            return self.config._dequantize(weight, scale, self.config.linear_quant_axis, shape)

        w = nn.op.tensor_expr_op(dequantize, name_hint="dequantize", args=[self.q_weight, self.q_scale])
        x = nn.op.matmul(x, w if kn else nn.op.permute_dims(w), out_dtype=self.out_dtype)
        return x + self.bias if self.bias is not None else x

    def to(self, dtype: str | None = None) -> None:
        """Codes and scales have their types."""


class GroupQuantizeEmbedding(nn.Module):
    def __init__(self, num: Any, dim: int, config: GroupQuantize):
        self.num, self.dim, self.config = num, dim, config
        codes, scales = _shape(config, num, dim)
        self.q_weight = nn.Parameter(codes, config.storage_dtype)
        self.q_scale = nn.Parameter(scales, config.model_dtype)

    @staticmethod
    def from_embedding(src: nn.Embedding, config: GroupQuantize) -> "GroupQuantizeEmbedding":
        num, dim = src.weight.shape
        return GroupQuantizeEmbedding(num if isinstance(num, int) else num.name, dim, config)

    def _whole(self) -> nn.Tensor:
        def dequantize(weight, scale):
            return self.config._dequantize(weight, scale, axis=1, out_shape=[weight.shape[0], self.dim])

        return nn.op.tensor_expr_op(dequantize, name_hint="dequantize", args=[self.q_weight, self.q_scale])

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        w = self._whole()
        if x.ndim == 1:
            return nn.op.take(w, x, axis=0)
        return nn.op.reshape(nn.op.take(w, nn.op.reshape(x, [-1]), axis=0), [*x.shape, self.dim])

    def lm_head_forward(self, x: nn.Tensor) -> nn.Tensor:
        return nn.op.matmul(x, nn.op.permute_dims(self._whole()), out_dtype="float32")

    def to(self, dtype: str | None = None) -> None:
        """Codes and scales have their types."""


def group_quantize(name: str, **changes: Any) -> GroupQuantize:
    """A mode by its name: `q4f16_1`."""
    kinds = {"q3": (40, "int3"), "q4": (32, "int4")}
    group, dtype = kinds[name[:2]]
    whole = not name.endswith("_2")
    return GroupQuantize(
        name,
        group,
        dtype,
        "uint32",
        "float16" if "f16" in name else "float32",
        "KN" if name.endswith("_0") else "NK",
        quantize_embedding=whole,
        quantize_final_fc=whole,
        **changes,
    )


class AWQLinear(nn.Module):
    """A layer whose weights come quantised (AWQ): codes, zeros and scales along the outputs, in an order of nibbles."""

    def __init__(self, in_features: int, out_features: int, group_size: int, bias: bool = False):
        self.in_features, self.out_features, self.group_size = in_features, out_features, group_size
        groups = -(-in_features // group_size)
        self.qweight = nn.Parameter((in_features, out_features // 8), "uint32")
        self.qzeros = nn.Parameter((groups, out_features // 8), "uint32")
        self.scales = nn.Parameter((groups, out_features), "float16")
        self.bias = nn.Parameter((out_features,), "float16") if bias else None

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        w = nn.op.tensor_expr_op(self._dequantize, "dequantize", [self.qweight, self.qzeros, self.scales])
        x = nn.op.matmul(x, w)
        return x + self.bias if self.bias else x

    def _dequantize(self, weight: te.Tensor, zeros: te.Tensor, scales: te.Tensor):
        def codes(words: te.Tensor):
            def code(i: tir.Var, j: tir.Var):
                nibble = j % 8
                shift = ((nibble % 2 * 4 + nibble // 2) * 4).astype("uint32")
                return tir.bitwise_and(tir.shift_right(words[i, j // 8], shift), tir.const(15, "uint32"))

            return te.compute((words.shape[0], self.out_features), code, "codes")

        own, zero = codes(weight), codes(zeros)
        return te.compute(
            (self.in_features, self.out_features),
            lambda i, j: (
                own[i, j].astype("float16") - zero[i // self.group_size, j].astype("float16")
            ) * scales[i // self.group_size, j],
            "dequantize",
        )  # fmt: skip


def ft_quantize(weight: te.Tensor, bits: int = 4):
    """Codes of FasterTransformer's products before its permutation: two outputs a byte, a scale for each output."""
    n, k = weight.shape
    most = tir.const(2 ** (bits - 1) - 1, weight.dtype)
    r = te.reduce_axis((0, k), "r")
    max_abs = te.compute((n,), lambda i: te.max(te.abs(weight[i, r]), axis=r), "max_abs")
    scale = te.compute((n,), lambda i: max_abs[i] / most, "scale")

    def code(i: tir.Var, j: tir.Var):
        rounded = tir.round(weight[i, j] / scale[i])
        clipped = tir.min(tir.max(rounded, -most - tir.const(1, weight.dtype)), most)
        return tir.bitwise_and(clipped.astype("int8"), tir.const(15, "int8"))

    codes = te.compute((n, k), code, "codes")
    packed = te.compute(
        (k, n // 2),
        lambda i, j: tir.bitwise_or(codes[2 * j, i], tir.shift_left(codes[2 * j + 1, i], tir.const(4, "int8"))),
        "packed",
    )
    return packed, scale


class Float8Linear(nn.Module):
    """A layer of one scale (e4m3) or none (e5m2): weights and inputs of 8 bits, sums in float32."""

    def __init__(self, in_features: int, out_features: int, dtype: str):
        self.dtype, self.scaled = dtype, dtype == "e4m3_float8"
        self.q_weight = nn.Parameter((out_features, in_features), dtype)
        self.q_scale = nn.Parameter((1,), "float32") if self.scaled else None
        self.q_calibration_scale = nn.Parameter((1,), "float32") if self.scaled else None

    def _codes(self, x: te.Tensor, *scale: te.Tensor):
        def code(*idx: tir.Var):
            value = x(*idx).astype("float32") / scale[0][0] if scale else x(*idx)
            return value.astype(self.dtype)

        return te.compute(x.shape, code, "codes")

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        scales = [self.q_calibration_scale] if self.scaled else []
        codes = nn.op.tensor_expr_op(self._codes, "quantize", [x, *scales])
        out = nn.op.matmul(codes, nn.op.permute_dims(self.q_weight), out_dtype="float32")
        if self.q_scale:
            out = out * self.q_scale * self.q_calibration_scale
        return nn.op.astype(out, "float16")


def quantize_per_tensor(weight: te.Tensor, dtype: str):
    """A weight in 8 bits and its scale, such that the greatest element becomes the greatest number of the type."""
    if dtype == "e5m2_float8":
        return te.compute(weight.shape, lambda *idx: weight(*idx).astype(dtype), "q_weight")
    most = tir.max_value(dtype).value
    axes = [te.reduce_axis((0, dim), f"r{at}") for at, dim in enumerate(weight.shape)]
    max_abs = te.compute((1,), lambda _: te.max(te.abs(weight(*axes)), axis=axes), "max_abs")
    least = tir.const(1.0 / (most * 512), "float32")
    scale = te.compute(
        (1,), lambda _: tir.max(max_abs[0].astype("float32") / tir.const(float(most), "float32"), least), "scale"
    )
    codes = te.compute(weight.shape, lambda *idx: (weight(*idx).astype("float32") / scale[0]).astype(dtype), "q_weight")
    return codes, scale
