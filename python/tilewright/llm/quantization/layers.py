"""Layers whose weights are blocks of integers, and the mutator that puts them into a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import te, tir
from ...error import TVMError
from ...relax.frontend import nn
from ...relax.frontend.nn import op
from ..model.experts import ExpertLinear
from .block_format import PANEL, WORD, BlockFormat

__all__ = ["BlockEmbedding", "BlockExperts", "BlockLinear", "quantize_model"]

#: The largest code of an activation.
MAX_CODE = 127.0
#: The least value of a group that has codes: what 127 is divided by, and still finite. Smaller ones are zeros.
LEAST = 1e-36


def quantize_rows(x: te.Tensor, group: int) -> tuple[te.Tensor, te.Tensor]:
    """Rows `[M, K]` as signed bytes `[M, K / group, group]` and a scale for each group, its greatest value over 127."""
    rows, columns = x.shape
    groups = columns // group
    r = te.reduce_axis((0, group), "r")
    value = lambda i, j, k: x[i, j * group + k].astype("float32")  # noqa: E731
    greatest = te.compute((rows, groups), lambda i, j: te.max(te.abs(value(i, j, r)), axis=r), "greatest")
    most, zero, least = (tir.const(value, "float32") for value in (MAX_CODE, 0.0, LEAST))
    scale = te.compute((rows, groups), lambda i, j: greatest[i, j] / most, "a_scale")
    inverse = te.compute(
        (rows, groups), lambda i, j: tir.Select(greatest[i, j] > least, most / greatest[i, j], zero), "inverse"
    )
    code = te.compute(
        (rows, groups, group), lambda i, j, k: tir.nearbyint(value(i, j, k) * inverse[i, j]).astype("int8"), "a_code"
    )
    return code, scale


def code_of(words: te.Tensor, form: BlockFormat, n: Any, g: Any, k: Any, of: tuple[Any, ...] = ()) -> tir.PrimExpr:
    """The code of row `n` at element `k` of group `g`, of one of several weights."""
    byte = words[(*of, n // PANEL, g, k // WORD % form.vectors, n % PANEL * WORD + k % WORD)]
    if form.bits == 8:
        return byte
    shift = (k // (WORD * form.vectors) * 4).astype("uint8")
    return tir.bitwise_and(tir.shift_right(byte, shift), tir.const(15, "uint8"))


def element_of(
    form: BlockFormat, weight: tuple[te.Tensor, ...], n: Any, g: Any, k: Any, of: tuple[Any, ...] = ()
) -> tir.PrimExpr:
    """The element of row `n` at element `k` of group `g`, in float32; `of` is which of several weights."""
    words, scale, *minimum = weight
    value = code_of(words, form, n, g, k, of).astype("float32")
    if form.zero != 0:
        value = value - tir.const(float(form.zero), "float32")
    at = (*of, n // PANEL, g, n % PANEL)
    value = value * scale[at].astype("float32")
    return value + minimum[0][at].astype("float32") if minimum else value


def _product(
    element: Callable[..., tir.PrimExpr], shape: tuple[Any, ...], groups: Any, weight: tuple[te.Tensor, ...],
    form: BlockFormat, columns: int, of: Callable[..., tuple[Any, ...]] = lambda *row: (),
) -> te.Tensor:  # fmt: skip
    """Products of rows, `[*shape, columns]`, with all rows of a weight, or of the one of several that `of(*row)` is.

    `element(*row, group, k)` is an element of the rows in float32.
    """
    g, k = te.reduce_axis((0, groups), "g"), te.reduce_axis((0, form.group), "k")

    def value(*at: Any) -> tir.PrimExpr:
        *row, column = at
        return te.sum(element(*row, g, k) * element_of(form, weight, column, g, k, of(*row)), axis=[g, k])

    return te.compute((*shape, columns), value, "product")


def _as(total: te.Tensor, dtype: str) -> te.Tensor:
    return total if dtype == "float32" else te.compute(total.shape, lambda *at: total[at].astype(dtype))


def block_product(
    codes: te.Tensor, scales: te.Tensor, *weight: te.Tensor, form: BlockFormat, columns: int, dtype: str
) -> te.Tensor:
    """Products of quantised rows with all rows of a weight."""
    rows, groups, _ = codes.shape
    return _as(_product(_of_codes(codes, scales), (rows,), groups, weight, form, columns), dtype)


def _of_codes(codes: te.Tensor, scales: te.Tensor) -> Callable[..., tir.PrimExpr]:
    """The elements of quantised rows, by `row, group, k`."""
    return lambda *at: codes[at].astype("float32") * scales[at[:-1]]


def exact_product(x: te.Tensor, *weight: te.Tensor, form: BlockFormat, columns: int, dtype: str) -> te.Tensor:
    """Products of rows as they are with all rows of a weight."""
    rows, depth = x.shape
    return _as(_product(_of_rows(x, form), (rows,), depth // form.group, weight, form, columns), dtype)


def _of_rows(x: te.Tensor, form: BlockFormat) -> Callable[..., tir.PrimExpr]:
    """The elements of rows as they are, by `row, group, k`."""
    return lambda *at: x[(*at[:-2], at[-2] * form.group + at[-1])].astype("float32")


def _declare(layer: nn.Module, form: BlockFormat, rows: int, columns: int, of: tuple[int, ...] = ()) -> None:
    for name, (shape, dtype) in form.shapes(rows, columns).items():
        setattr(layer, name, nn.Parameter((*of, *shape), dtype))


def _weight(layer: Any) -> list[nn.Tensor]:
    names = ("words", "scale", "minimum") if layer.form.has_minimum else ("words", "scale")
    return [getattr(layer, name) for name in names]


def _rows_of(x: nn.Tensor, width: int) -> nn.Tensor:
    """The vectors along the last axis as rows of a matrix."""
    count: Any = 1
    for dim in x.shape[:-1]:
        count = count * dim
    return op.reshape(x, (count, width))


def multiply(
    x: nn.Tensor, weight: list[nn.Tensor], form: BlockFormat, columns: int, activations: str, dtype: str
) -> nn.Tensor:
    """Products of vectors along the last axis of `x` with the `columns` rows of a weight, `[..., columns]`."""
    rows = _rows_of(x, x.shape[-1])
    sizes = {"form": form, "columns": columns, "dtype": dtype}
    if activations == "exact":
        product = op.tensor_expr_op(lambda *args: exact_product(*args, **sizes), "exact_product", [rows, *weight])
    else:
        codes, scales = op.tensor_expr_op(lambda x: quantize_rows(x, form.group), "quantize_rows", [rows])
        given = [codes, scales, *weight]
        product = op.tensor_expr_op(lambda *args: block_product(*args, **sizes), "block_product", given)
    return op.reshape(product, (*x.shape[:-1], columns))


class BlockLinear(nn.Module):
    """`x @ weight.T + bias` with a weight of blocks.

    With `activations="int8"` the rows of `x` are quantised to bytes with a scale for each group of the weight;
    with `"exact"` they are not.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        form: BlockFormat,
        bias: bool = False,
        activations: str = "int8",
        dtype: str = "float32",
    ) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.form, self.activations, self.out_dtype = form, activations, dtype
        _declare(self, form, out_features, in_features)
        self.bias = nn.Parameter((out_features,), dtype) if bias else None

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """The rows `[..., out_features]`."""
        result = multiply(x, _weight(self), self.form, self.out_features, self.activations, self.out_dtype)
        return result if self.bias is None else result + self.bias


class BlockEmbedding(nn.Module):
    """Rows of a weight of blocks; `lm_head_forward` multiplies with all of them."""

    def __init__(
        self, num: int, dim: int, form: BlockFormat, activations: str = "int8", dtype: str = "float32"
    ) -> None:
        self.num, self.dim, self.form = num, dim, form
        self.activations, self.out_dtype = activations, dtype
        _declare(self, form, num, dim)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """The rows with these indices, along a new last axis."""
        form, dtype = self.form, self.out_dtype

        def rows_of(indices: te.Tensor, *weight: te.Tensor) -> te.Tensor:
            def element(i: Any, k: Any) -> tir.PrimExpr:
                return element_of(form, weight, indices[i], k // form.group, k % form.group).astype(dtype)

            return te.compute((indices.shape[0], self.dim), element, "take")

        count: Any = 1
        for dim in x.shape:
            count = count * dim
        rows = op.tensor_expr_op(rows_of, "take_blocks", [op.reshape(x, (count,)), *_weight(self)])
        return op.reshape(rows, (*x.shape, self.dim))

    def lm_head_forward(self, x: nn.Tensor) -> nn.Tensor:
        """The products of `x` with all rows: logits of a model whose head is its embedding."""
        return multiply(x, _weight(self), self.form, self.num, self.activations, "float32")


class BlockExperts(nn.Module):
    """Products of tiles of rows with the weights of experts, as `ExpertLinear` has them, in blocks."""

    def __init__(
        self, count: int, in_features: int, out_features: int, form: BlockFormat, activations: str = "int8"
    ) -> None:
        self.in_features, self.out_features, self.form, self.activations = in_features, out_features, form, activations
        _declare(self, form, out_features, in_features, (count,))

    def forward(self, x: nn.Tensor, expert: nn.Tensor) -> nn.Tensor:
        """The products of `[tiles, rows, inputs]` with the experts of the tiles: `[tiles, rows, outputs]`."""
        form, columns = self.form, self.out_features
        group, groups = form.group, self.in_features // form.group

        def exact(x: te.Tensor, expert: te.Tensor, *weight: te.Tensor) -> te.Tensor:
            of = lambda tile, _row: (expert[tile],)  # noqa: E731
            return _product(_of_rows(x, form), tuple(x.shape[:2]), groups, weight, form, columns, of)

        def of_codes(codes: te.Tensor, scale: te.Tensor, expert: te.Tensor, *weight: te.Tensor) -> te.Tensor:
            of = lambda tile, _row: (expert[tile],)  # noqa: E731
            return _product(_of_codes(codes, scale), tuple(codes.shape[:2]), groups, weight, form, columns, of)

        if self.activations == "exact":
            return op.tensor_expr_op(exact, "exact_of_experts", [x, expert, *_weight(self)]).astype(x.dtype)
        tiles, rows, _ = x.shape
        given = op.reshape(x, (tiles * rows, self.in_features))
        codes, scales = op.tensor_expr_op(lambda x: quantize_rows(x, group), "quantize_rows", [given])
        codes = op.reshape(codes, (tiles, rows, groups, group))
        scales = op.reshape(scales, (tiles, rows, groups))
        return op.tensor_expr_op(of_codes, "of_experts", [codes, scales, expert, *_weight(self)]).astype(x.dtype)


def quantize_model(
    model: nn.Module,
    forms: Mapping[str, BlockFormat],
    activations: str = "int8",
    dtype: str = "float32",
    vocab_size: int | None = None,
) -> nn.Module:
    """The model with layers of blocks in place of those whose weights `forms` names, by the weights' names.

    `vocab_size` is the number of rows of weights that have a symbolic one.
    """

    def rows(count: Any) -> int:
        if isinstance(count, int):
            return count
        if vocab_size is None:
            raise TVMError(f"a weight of blocks has a known number of rows, found {count}: give `vocab_size`")
        return vocab_size

    class Exchange(nn.Mutator):
        def visit_module(self, name: str, node: nn.Module) -> Any:
            form = forms.get(f"{name}.weight")
            if form is not None and isinstance(node, nn.Embedding):
                return BlockEmbedding(rows(node.num), int(node.dim), form, activations, dtype)
            if form is not None and isinstance(node, nn.Linear):
                bias = node.bias is not None
                head = getattr(node, "out_dtype", None) or dtype
                return BlockLinear(int(node.in_features), rows(node.out_features), form, bias, activations, head)
            if form is not None and isinstance(node, ExpertLinear):
                return BlockExperts(node.count, node.in_features, node.out_features, form, activations)
            return self.visit(name, node)

    return Exchange().visit("", model)
