"""A mixture of experts in the manner of MLC LLM: gates of tokens, tokens in the order of experts, grouped products.

Expert `e` gets the rows from `indptr[e]` up to `indptr[e + 1]` of the tokens in their new order.
"""

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op
from tilewright.script import tir as T


def gating_softmax_topk(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The `k` greatest of each row as softmax among them, and where they are: threads of a GPU, a row each."""
    experts, dtype, threads = logits.shape[1], logits.dtype, 32

    @T.prim_func(private=True)
    def topk(var_x: T.handle, var_out: T.handle, var_index: T.handle):
        T.func_attr({"tir.noalias": True})
        batch_size = T.SizeVar("batch_size", "int64")
        x = T.match_buffer(var_x, (batch_size, experts), dtype)
        out = T.match_buffer(var_out, (batch_size, k), dtype)
        index = T.match_buffer(var_index, (batch_size, k), "int32")
        for io in T.thread_binding(0, T.ceildiv(batch_size, threads), "blockIdx.x"):
            for ii in T.thread_binding(0, threads, "threadIdx.x"):
                with T.block("topk"):
                    vi = T.axis.spatial(batch_size, io * threads + ii)
                    T.where(io * threads + ii < batch_size)
                    best = T.alloc_buffer((k + 1,), dtype, scope="local")
                    at = T.alloc_buffer((k + 1,), "int32", scope="local")
                    kept = T.alloc_buffer((1,), dtype, scope="local")
                    kept_at = T.alloc_buffer((1,), "int32", scope="local")
                    total = T.alloc_buffer((1,), dtype, scope="local")
                    for t in T.unroll(k):
                        best[t] = T.min_value(dtype)
                        at[t] = 0
                    for e in range(experts):
                        best[k] = x[vi, e]
                        at[k] = e
                        for t in T.unroll(k):
                            if best[k - t] > best[k - t - 1]:
                                kept[0] = best[k - t]
                                best[k - t] = best[k - t - 1]
                                best[k - t - 1] = kept[0]
                                kept_at[0] = at[k - t]
                                at[k - t] = at[k - t - 1]
                                at[k - t - 1] = kept_at[0]
                    total[0] = T.cast(0, dtype)
                    for t in T.unroll(k):
                        total[0] = total[0] + T.exp(best[t] - best[0])
                    for t in T.unroll(k):
                        out[vi, t] = T.exp(best[t] - best[0]) / total[0]
                        index[vi, t] = at[t]

    rows = logits.shape[0]
    out = [Tensor.placeholder([rows, k], dtype), Tensor.placeholder([rows, k], "int32")]
    return op.tensor_ir_op(topk, "gating_softmax_topk", [logits], out)


def moe_cumsum(indices: Tensor, experts: int) -> Tensor:
    """For expert after expert, and in it choice after choice of the tokens: how many chose so, up to here."""
    rows, k = indices.shape

    def one_hot(chosen: te.Tensor):
        return te.compute(
            (experts, rows * k),
            lambda e, t: tir.Select(chosen[t // k, t % k] == e, tir.const(1, "int32"), tir.const(0, "int32")),
            "one_hot",
        )

    mask = op.tensor_expr_op(one_hot, "one_hot", [indices])
    return op.cumsum(op.reshape(mask, (experts * rows * k,)), axis=0, dtype="int32")


def get_indices(cumsum: Tensor, indices: Tensor) -> Tensor:
    """For each choice of a token, where it is in the order of experts."""
    rows, k = indices.shape

    @T.prim_func(private=True)
    def positions(var_sum: T.handle, var_chosen: T.handle, var_out: T.handle):
        n = T.SizeVar("n", "int64")
        total = T.int64()
        sums = T.match_buffer(var_sum, (total,), "int32")
        chosen = T.match_buffer(var_chosen, (n, k), "int32")
        out = T.match_buffer(var_out, (n, k), "int32")
        for iters in T.grid(n, k):
            with T.block("positions"):
                vi, vk = T.axis.remap("SS", iters)
                T.reads(sums[0:total], chosen[vi, vk])
                T.writes(out[vi, vk])
                out[vi, vk] = sums[T.cast(chosen[vi, vk], "int64") * n * k + vi * k + vk] - 1

    return op.tensor_ir_op(positions, "get_indices", [cumsum, indices], Tensor.placeholder([rows, k], "int32"))


def get_indptr(cumsum: Tensor, experts: int, choices: int | tir.PrimExpr) -> Tensor:
    """The first row of each expert, and the end; `choices` is a number of Python or a dimension."""

    @T.prim_func(private=True)
    def starts(var_sum: T.handle, var_out: T.handle, choices: T.int32):
        total = T.SizeVar("total", "int64")
        sums = T.match_buffer(var_sum, (total,), "int32")
        out = T.match_buffer(var_out, (experts + 1,), "int32")
        for e in range(experts + 1):
            with T.block("starts"):
                ve = T.axis.spatial(experts + 1, e)
                T.reads(sums[0:total])
                T.writes(out[ve])
                out[ve] = T.if_then_else(ve == 0, 0, sums[T.cast(ve, "int64") * T.cast(choices, "int64") - 1])

    return op.tensor_ir_op(starts, "get_indptr", [cumsum, choices], Tensor.placeholder([experts + 1], "int32"))


def group_product(x: Tensor, w: Tensor, indptr: Tensor, scale: Tensor | None = None) -> Tensor:
    """Each row times the weights `[expert, out, in]` of its expert: codes of 4 bits where they have a scale."""
    rows, inputs = x.shape
    experts, outputs, words = w.shape
    plain, groups = scale is None, 1 if scale is None else scale.shape[2]

    def dequantized(w, scale, e, i, j):
        code = tir.bitwise_and(tir.shift_right(w[e, i, j // 8], tir.Cast("uint32", j % 8 * 4)), tir.const(15, "uint32"))
        return (tir.Cast("float32", code) - T.float32(7)) * scale[e, i, j // 32]

    def weight(w, scale, e, i, j):
        return w[e, i, j] if plain else dequantized(w, scale, e, i, j)

    @T.prim_func(private=True)
    def product(var_x: T.handle, var_w: T.handle, var_scale: T.handle, var_indptr: T.handle, var_out: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.SizeVar("n", "int64")
        x = T.match_buffer(var_x, (n, inputs), "float32")
        w = T.match_buffer(var_w, (experts, outputs, words), "float32" if plain else "uint32")
        scale = T.match_buffer(var_scale, (experts, outputs, groups), "float32")
        indptr = T.match_buffer(var_indptr, (experts + 1,), "int32")
        out = T.match_buffer(var_out, (n, outputs), "float32")
        expert = T.alloc_buffer((n,), "int32")
        for r in range(n):
            with T.block("expert"):
                vr = T.axis.spatial(n, r)
                T.reads(indptr[0 : experts + 1])
                T.writes(expert[vr])
                expert[vr] = 0
                for e in range(experts):
                    if T.cast(vr, "int32") >= indptr[e] and T.cast(vr, "int32") < indptr[e + 1]:
                        expert[vr] = e
        for r, i, j in T.grid(n, outputs, inputs):
            with T.block("product"):
                vr, vi, vj = T.axis.remap("SSR", [r, i, j])
                T.reads(expert[vr], x[vr, vj], w[0:experts, vi, 0:words], scale[0:experts, vi, 0:groups])
                T.writes(out[vr, vi])
                with T.init():
                    out[vr, vi] = T.float32(0)
                out[vr, vi] = out[vr, vi] + x[vr, vj] * weight(w, scale, expert[vr], vi, vj)

    scale = op.zeros((experts, outputs, 1), "float32") if plain else scale
    out = Tensor.placeholder([rows, outputs], "float32")
    return op.tensor_ir_op(product, "group_product", [x, w, scale, indptr], out)


class Experts(nn.Module):
    """SwiGLU of the two best experts of each token (Mixtral), with weights as they are or in codes."""

    def __init__(self, hidden: int, inner: int, experts: int, k: int, quantized: bool = False):
        self.hidden, self.experts, self.k, self.quantized = hidden, experts, k, quantized
        self.gate = nn.Linear(hidden, experts, bias=False)
        per, dtype = (8, "uint32") if quantized else (1, "float32")
        self.e1_e3 = nn.Parameter((experts, 2 * inner, hidden // per), dtype)
        self.e2 = nn.Parameter((experts, hidden, inner // per), dtype)
        self.e1_e3_scale = nn.Parameter((experts, 2 * inner, hidden // 32), "float32") if quantized else None
        self.e2_scale = nn.Parameter((experts, hidden, inner // 32), "float32") if quantized else None

    def forward(self, x: Tensor):
        rows = x.shape[0]
        weights, chosen = gating_softmax_topk(self.gate(x), self.k)
        cumsum = moe_cumsum(chosen, self.experts)
        positions = get_indices(cumsum, chosen)
        indptr = get_indptr(cumsum, self.experts, rows * self.k)
        k = self.k

        def rows_by_expert(x: te.Tensor, positions: te.Tensor):
            choice = te.reduce_axis((0, rows * k), "choice")
            own = te.compute(
                (rows * k,),
                lambda r: te.max(
                    tir.Select(positions[choice // k, choice % k] == r, choice // k, tir.const(0, "int64")), axis=choice
                ),
                "own",
            )
            return te.compute((rows * k, self.hidden), lambda r, d: x[own[r], d], "rows")

        ordered = op.tensor_expr_op(rows_by_expert, "gather", [x, positions])
        gate, up = op.split(group_product(ordered, self.e1_e3, indptr, self.e1_e3_scale), 2, axis=-1)
        results = group_product(op.silu(gate) * up, self.e2, indptr, self.e2_scale)
        results = op.take(results, op.reshape(positions, (rows * k,)), axis=0)
        results = op.reshape(results, (rows, k, self.hidden)) * op.reshape(weights, (rows, k, 1))
        return op.sum(results, axis=1)
