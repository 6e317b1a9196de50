"""Paged caches of keys and values in models, and attention over whole sequences without a cache."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..... import te, tir
from .....tir.function import PrimFunc
from ....expr import DataTypeImm, Expr, PrimValue, ShapeExpr, StringImm, const
from ....op import call_dps_packed, call_pure_packed
from ....struct_info import ObjectStructInfo, TensorStructInfo
from ..core import Object, Tensor, builder, refused, wrap

__all__ = ["FlashInferPagedKVCache", "PagedKVCache", "RopeMode", "TIRPagedKVCache"]


class RopeMode(enum.IntEnum):
    """Whether the cache rotates queries and keys by their positions (RoPE).

    `NONE` leaves them. With `NORMAL` and `INLINE` the results are the same: keys are stored rotated in both.
    """

    NONE = 0
    NORMAL = 1
    INLINE = 2


class PagedKVCache(Object):
    """A cache of keys and values by sequences, which the runtime keeps in pages."""

    @staticmethod
    def create_generic(
        max_batch_size: Any,
        max_total_seq_len: Any,
        prefill_chunk_size: Any,
        page_size: Any,
        support_sliding_window: Any,
        num_hidden_layers: int,
        num_attention_heads: int,
        num_key_value_heads: int,
        head_dim: int,
        rope_mode: RopeMode,
        rope_scale: float,
        rope_theta: float,
        dtype: str,
        rope_scaling: Mapping[str, Any] | None = None,
        rope_ext_factors: Sequence[float] | None = None,
        rotary_dim: int | None = None,
        layer_partition: Sequence[int] | None = None,
        name: str = "paged_kv_cache",
    ) -> PagedKVCache:
        """A cache for `max_total_seq_len` tokens, of up to `max_batch_size` sequences in a step.

        The sizes may be arguments of the method that creates it. `prefill_chunk_size` and `support_sliding_window`
        reserve nothing: steps of any size and windows are taken. `rope_scaling` is what a model's configuration says:
        an object with `rope_type` `linear`, `llama3` or `longrope`, which takes `rope_ext_factors`; a number
        `attn_logit_softcapping` in it caps scores (`c * tanh(s / c)`), a list `sliding_windows` has the last tokens
        that each layer sees (None for all), and a list `alibi_slopes` what scores of each query head lose with each
        token of distance. The first `rotary_dim` elements of a head are rotated, by default all.

        `dtype` is the type in which the cache holds keys and values; queries, keys and values come in any type of
        floats.
        """
        sizes = [max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window]
        made = _create(
            sizes, layer_partition or [0, num_hidden_layers],
            [num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, int(rope_mode)],
            rope_scale, rope_theta, rope_scaling, rope_ext_factors, head_dim if rotary_dim is None else rotary_dim,
            dtype,
        )  # fmt: skip
        return PagedKVCache(_expr=made, _name=name)

    def attention_with_fused_qkv(
        self,
        layer_id: int,
        qkv: Tensor,
        num_qo_heads: int,
        attn_score_scaling_factor: float = 1.0,
        sinks: Tensor | None = None,
    ) -> Tensor:
        """Appends the keys and values of the step's tokens in a layer, and attends to what each token sees.

        `qkv` is `[batch, tokens, num_qo_heads + 2 * kv heads, head_dim]`, of which the tokens are those of the step in
        their order; the result is `[batch, tokens, num_qo_heads, head_dim]`. Scores are multiplied by
        `attn_score_scaling_factor / sqrt(head_dim)`. `sinks`, one for each query head, are the scores of a token that
        all tokens see and that has no value (attention sinks of gpt-oss).
        """
        batch, tokens, _, size = qkv.shape
        rows = qkv.reshape(batch * tokens, qkv.shape[2], size)
        call = call_dps_packed(
            "vm.builtin.attention_kv_cache_attention_with_fused_qkv",
            [self._expr, PrimValue(layer_id), PrimValue(float(attn_score_scaling_factor)), rows._expr]
            + ([] if sinks is None else [sinks._expr]),
            TensorStructInfo([batch * tokens, num_qo_heads, size], qkv.dtype),
        )
        made = wrap(builder("attention_with_fused_qkv").emit(call, "attention"), "attention")
        return made.reshape(batch, tokens, num_qo_heads, size)

    def get_query_positions(self, total_length: Any) -> Tensor:
        """The positions of the step's tokens, `total_length` of int32."""
        call = call_pure_packed(
            "vm.builtin.attention_kv_cache_get_query_positions",
            self._expr,
            sinfo_args=[TensorStructInfo([total_length], "int32")],
        )
        return wrap(builder("get_query_positions").emit(call, "query_positions"), "query_positions")


def _create(
    sizes: Sequence[Any],
    layer_partition: Any,
    counts: Sequence[int],
    rope_scale: float,
    rope_theta: float,
    rope_scaling: Mapping[str, Any] | None,
    rope_ext_factors: Any,
    rotary_dim: int,
    dtype: str,
) -> Expr:
    """The call that creates a cache. `counts` are layers, query heads, kv heads, elements of a head and the RoPE mode;
    factors and partition may be expressions already."""
    factors = PrimValue(0) if rope_ext_factors is None else rope_ext_factors
    return call_pure_packed(
        "mlc.create_paged_kv_cache_generic",
        ShapeExpr(sizes),
        layer_partition if isinstance(layer_partition, Expr) else ShapeExpr(layer_partition),
        *map(PrimValue, counts),
        PrimValue(float(rope_scale)),
        PrimValue(float(rope_theta)),
        StringImm(json.dumps(dict(rope_scaling or {}))),
        factors if isinstance(factors, Expr) else const(list(factors), "float32"),
        PrimValue(rotary_dim),
        DataTypeImm(dtype),
        sinfo_args=[ObjectStructInfo()],
    )


class TIRPagedKVCache(PagedKVCache):
    """A cache by the arguments of those whose kernels are PrimFuncs of the program.

    The runtime's cache has kernels for every device: the expression is the one of `PagedKVCache.create_generic`.
    """

    def __init__(
        self,
        max_batch_size: Any,
        max_total_seq_len: Any,
        prefill_chunk_size: Any,
        page_size: Any,
        support_sliding_window: Any,
        layer_partition: Any,
        num_hidden_layers: int,
        num_attention_heads: int,
        num_key_value_heads: int,
        head_dim: int,
        rope_mode: RopeMode,
        rope_scale: float,
        rope_theta: float,
        rope_scaling: Mapping[str, Any] | None,
        rope_ext_factors: Any,
        rotary_dim: int,
        dtype: str,
        target: Any,
        name: str = "paged_kv_cache",
    ) -> None:
        """The cache of `create_generic`: nothing is made of `target`."""
        sizes = [max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window]
        counts = [num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, int(rope_mode)]
        made = _create(
            sizes, layer_partition, counts, rope_scale, rope_theta, rope_scaling, rope_ext_factors, rotary_dim, dtype
        )
        super().__init__(_expr=made, _name=name)


class FlashInferPagedKVCache(PagedKVCache):
    """The cache whose kernels are FlashInfer's: `PagedKVCache.create_generic` is what there is."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise refused(
            "FlashInferPagedKVCache: the runtime has the cache and its kernels itself: create it by "
            "`PagedKVCache.create_generic`"
        )


def __getattr__(name: str) -> Any:
    from .....compat.absent import absent_name

    return absent_name(__name__, name)


def _attention_sequence_prefill(
    h_kv: int,
    h_q: int,
    d: int,
    dtype: str,
    target: Any = None,
    causal: int = 0,
    attn_score_scaling_factor: float = 1.0,
) -> PrimFunc:
    """Attention of whole sequences: a PrimFunc of q, k and v, which fills the result and the scores' log-sum-exp.

    q and the result are `[batch, queries, h_q, d]`, k and v `[batch, keys, h_kv, d]`, and the log-sum-exp, to the base
    2, is `[batch, queries, h_q]`. With `causal`, the last query sees all keys, and each before it one less.
    The function is for every target: nothing is made of `target`.
    """
    if h_q % h_kv:
        raise refused(f"{h_q} query heads cannot share {h_kv} heads of keys and values equally")
    batch, queries, keys = (tir.Var(name, "int64") for name in ("batch_size", "qo_len", "kv_len"))
    group, scale = h_q // h_kv, attn_score_scaling_factor * d**-0.5 / math.log(2.0)
    q = te.placeholder((batch, queries, h_q, d), dtype, "q")
    k = te.placeholder((batch, keys, h_kv, d), dtype, "k")
    v = te.placeholder((batch, keys, h_kv, d), dtype, "v")
    over_d, over_max, over_sum, over_keys = (
        te.reduce_axis((0, size), name)
        for size, name in ((d, "i"), (keys, "key_max"), (keys, "key_sum"), (keys, "key"))
    )

    def seen(row: Any, key: Any, score: Any) -> Any:
        least = tir.min_value("float32")
        return tir.if_then_else(key - keys <= row - queries, score, least) if causal else score

    products = te.compute(
        (batch, h_q, queries, keys),
        lambda b, h, i, j: te.sum(
            q[b, i, h, over_d].astype("float32") * k[b, j, tir.floordiv(h, group), over_d].astype("float32"), over_d
        ),
        "products",
    )
    scores = te.compute(
        (batch, h_q, queries, keys),
        lambda b, h, i, j: seen(i, j, products[b, h, i, j] * tir.const(float(scale), "float32")),
        "scores",
    )
    greatest = te.compute(
        (batch, h_q, queries), lambda b, h, i: te.max(scores[b, h, i, over_max], over_max), "greatest"
    )
    weights = te.compute(
        (batch, h_q, queries, keys), lambda b, h, i, j: tir.exp2(scores[b, h, i, j] - greatest[b, h, i]), "weights"
    )
    total = te.compute((batch, h_q, queries), lambda b, h, i: te.sum(weights[b, h, i, over_sum], over_sum), "total")
    sums = te.compute(
        (batch, queries, h_q, d),
        lambda b, i, h, e: te.sum(
            weights[b, h, i, over_keys] * v[b, over_keys, tir.floordiv(h, group), e].astype("float32"), over_keys
        ),
        "sums",
    )
    output = te.compute(
        (batch, queries, h_q, d), lambda b, i, h, e: (sums[b, i, h, e] / total[b, h, i]).astype(dtype), "output"
    )
    lse = te.compute(
        (batch, queries, h_q), lambda b, i, h: (greatest[b, h, i] + tir.log2(total[b, h, i])).astype(dtype), "lse"
    )
    return te.create_prim_func([q, k, v, output, lse])
