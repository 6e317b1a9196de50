"""Mixtures of experts: each token goes through the MLPs that a router chooses for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import te, tir
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from ...script import tir as T
from .config import DecoderConfig
from .parts import activation, scaled

__all__ = ["ExpertLinear", "MixtureOfExperts"]

#: Rows of a tile: products of so many rows of quantised weights take as long for each row as products of many.
TILE_ROWS = 8
#: Pairs of tokens and experts up to which each is a tile of its own.
MAX_SINGLE_ROWS = 32


class MixtureOfExperts(nn.Module):
    """A router, the experts' weights in two tensors, and an MLP that all tokens go through, if there is one.

    `gate_up_proj` is `[experts, 2 * size, hidden]`, `down_proj` `[experts, hidden, size]`. Only the weights of chosen
    experts are read, once for each tile of rows.
    """

    def __init__(self, config: DecoderConfig, mlp: Callable[[DecoderConfig, int], nn.Module]) -> None:
        experts = config.experts
        assert experts is not None
        self.experts, self.kind = experts, config.activation
        self.gate = nn.Linear(config.hidden_size, experts.count, bias=False)
        if experts.corrected:
            self.correction = nn.Parameter((experts.count,), "float32")
        self.gate_up_proj = ExpertLinear(experts.count, config.hidden_size, 2 * experts.size)
        self.down_proj = ExpertLinear(experts.count, experts.size, config.hidden_size)
        if experts.shared:
            self.shared = mlp(config, experts.shared)
        if experts.shared_gate:
            self.shared_gate = nn.Linear(config.hidden_size, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The sum of the chosen experts' results by their weights, and of the shared one's."""
        batch, tokens, hidden = x.shape
        rows = op.reshape(x, (batch * tokens, hidden))
        weights, chosen = self._route(rows)
        placed = Placement.of(chosen, self.experts.count)
        gate, up = op.split(self.gate_up_proj(placed.gathered(rows), placed.expert), 2, axis=-1)
        made = placed.summed(self.down_proj(activation(self.kind, gate) * up, placed.expert), weights)
        if self.experts.shared:
            shared = self.shared(rows)
            made = made + (shared * op.sigmoid(self.shared_gate(rows)) if self.experts.shared_gate else shared)
        return op.reshape(made, (batch, tokens, hidden))

    def _route(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Weights and numbers of the experts of each token, `[tokens, used]`."""
        scores = self.gate(rows).astype("float32")
        scores = op.softmax(scores, axis=-1) if self.experts.score == "softmax" else op.sigmoid(scores)
        choices = scores + self.correction.astype("float32") if self.experts.corrected else scores
        if self.experts.groups > 1:
            choices = self._of_best_groups(choices)
        weights, chosen = op.topk(choices, self.experts.used, axis=-1)
        if self.experts.corrected:
            weights = _chosen_scores(scores, chosen)
        if self.experts.normalised:
            weights = weights / op.sum(weights, axis=-1, keepdims=True)
        return scaled(weights, self.experts.scale).astype(rows.dtype), chosen

    def _of_best_groups(self, scores: Tensor) -> Tensor:
        """Scores of experts, of which those outside of the best groups are the least there are."""
        tokens, count = scores.shape
        groups = self.experts.groups
        best = op.topk(op.reshape(scores, (tokens, groups, count // groups)), self.experts.group_best, axis=-1)[0]
        chosen = op.topk(op.sum(best, axis=-1), self.experts.used_groups, axis=-1, ret_type="indices")

        def values(x: te.Tensor, own: te.Tensor) -> te.Tensor:
            def value(token: Any, expert: Any) -> Any:
                group = expert // (count // groups)
                inside = tir.any(*(own[token, at].astype("int64") == group for at in range(self.experts.used_groups)))
                return tir.if_then_else(inside, x[token, expert], tir.min_value("float32"))

            return te.compute(x.shape, value, "of_best_groups")

        return op.tensor_expr_op(values, "of_best_groups", [scores, chosen])


def _chosen_scores(scores: Tensor, chosen: Tensor) -> Tensor:
    """The scores of each token's experts."""

    def values(x: te.Tensor, own: te.Tensor) -> te.Tensor:
        return te.compute(own.shape, lambda token, at: x[token, own[token, at]], "chosen_scores")

    return op.tensor_expr_op(values, "chosen_scores", [scores, chosen])


@dataclass(frozen=True)
class Placement:
    """Which rows experts multiply: *tiles* of rows of one expert each.

    A *pair* is a token and one of its experts, `token * used + choice`. `expert` is the expert of each tile, `[tiles]`;
    `pair_of` the pair in each row of the tiles, `[tiles * rows]`, or -1; `row_of` the row of each pair, `[pairs]`.
    """

    rows: int
    used: int
    expert: Tensor
    pair_of: Tensor
    row_of: Tensor

    @staticmethod
    def of(chosen: Tensor, count: int) -> Placement:
        """The tiles of the experts that tokens chose, `[tokens, used]`, of so many: a row each for few tokens."""
        tokens, used = chosen.shape
        if isinstance(tokens, int) and tokens * used <= MAX_SINGLE_ROWS:
            pairs = op.tensor_expr_op(
                lambda e: te.compute((tokens * used,), lambda i: i.astype("int32")), "pairs", [chosen]
            )
            return Placement(1, used, op.reshape(chosen.astype("int32"), (tokens * used,)), pairs, pairs)
        tiles = (tokens * used + (TILE_ROWS - 1) * count) // TILE_ROWS
        out = [Tensor.placeholder((size,), "int32") for size in (tiles, tiles * TILE_ROWS, tokens * used)]
        expert, pair_of, row_of = op.tensor_ir_op(_placing(used, count), "place", [chosen.astype("int32")], out)
        return Placement(TILE_ROWS, used, expert, pair_of, row_of)

    def gathered(self, x: Tensor) -> Tensor:
        """The rows of tokens, `[tokens, size]`, in tiles: `[tiles, rows, size]`. Rows without a pair are zeros."""

        def values(x: te.Tensor, pair_of: te.Tensor) -> te.Tensor:
            def value(tile: Any, row: Any, k: Any) -> Any:
                pair = pair_of[tile * self.rows + row]
                return tir.if_then_else(pair >= 0, x[pair // self.used, k], tir.const(0, x.dtype))

            return te.compute((pair_of.shape[0] // self.rows, self.rows, x.shape[1]), value, "gathered")

        return op.tensor_expr_op(values, "gathered", [x, self.pair_of])

    def summed(self, made: Tensor, weights: Tensor) -> Tensor:
        """The rows of each token's pairs, `[tiles, rows, size]`, added by their weights, `[tokens, used]`."""

        def values(made: te.Tensor, row_of: te.Tensor, by: te.Tensor) -> te.Tensor:
            choice = te.reduce_axis((0, self.used), "choice")

            def value(token: Any, k: Any) -> Any:
                row = row_of[token * self.used + choice]
                part = made[row // self.rows, row % self.rows, k].astype("float32")
                return te.sum(part * by[token, choice].astype("float32"), choice)

            return te.compute((by.shape[0], made.shape[2]), value, "summed")

        return op.tensor_expr_op(values, "summed", [made, self.row_of, weights]).astype(made.dtype)


def _placing(used: int, count: int) -> Any:
    """The PrimFunc that places the pairs of chosen experts in tiles: those of an expert one after another."""

    @T.prim_func(private=True)
    def place(of_chosen: T.handle, of_expert: T.handle, of_pairs: T.handle, of_rows: T.handle):
        T.func_attr({"tir.is_scheduled": True})
        tokens = T.int64()
        tiles = T.int64()
        slots = T.int64()
        pairs = T.int64()
        chosen = T.match_buffer(of_chosen, (tokens, used), "int32")
        expert = T.match_buffer(of_expert, (tiles,), "int32")
        pair_of = T.match_buffer(of_pairs, (slots,), "int32")
        row_of = T.match_buffer(of_rows, (pairs,), "int32")
        with T.block("place"):
            next_row = T.alloc_buffer((count + 1,), "int32")
            for e in range(count + 1):
                next_row[e] = 0
            for t, c in T.grid(tokens, used):
                next_row[chosen[t, c] + 1] = next_row[chosen[t, c] + 1] + 1
            for e in range(count):
                next_row[e + 1] = next_row[e] + (next_row[e + 1] + (TILE_ROWS - 1)) // TILE_ROWS * TILE_ROWS
            for i in range(tiles):
                expert[i] = 0
            for i in range(slots):
                pair_of[i] = -1
            for t, c in T.grid(tokens, used):
                row: T.int32 = next_row[chosen[t, c]]
                expert[row // TILE_ROWS] = chosen[t, c]
                pair_of[row] = T.Cast("int32", t * used + c)
                row_of[t * used + c] = row
                next_row[chosen[t, c]] = row + 1

    return place


class ExpertLinear(nn.Module):
    """Products of tiles of rows with the weights of experts, `[experts, outputs, inputs]`."""

    def __init__(self, count: int, in_features: int, out_features: int) -> None:
        self.count, self.in_features, self.out_features = count, in_features, out_features
        self.weight = nn.Parameter((count, out_features, in_features))

    def forward(self, x: Tensor, expert: Tensor) -> Tensor:
        """The products of `[tiles, rows, inputs]` with the experts of the tiles: `[tiles, rows, outputs]`."""

        def values(x: te.Tensor, w: te.Tensor, expert: te.Tensor) -> te.Tensor:
            inputs = te.reduce_axis((0, self.in_features), "inputs")

            def value(tile: Any, row: Any, output: Any) -> Any:
                of_weight = w[expert[tile], output, inputs].astype("float32")
                return te.sum(x[tile, row, inputs].astype("float32") * of_weight, inputs)

            return te.compute((x.shape[0], x.shape[1], self.out_features), value, "of_experts")

        return op.tensor_expr_op(values, "of_experts", [x, self.weight, expert]).astype(x.dtype)
