"""Mixtures of experts: each token goes through the MLPs that a router chooses for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import te, tir
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from .config import DecoderConfig
from .parts import activation, scaled

__all__ = ["MixtureOfExperts"]


class MixtureOfExperts(nn.Module):
    """A router, the experts' weights in two tensors, and an MLP that all tokens go through, if there is one.

    `gate_up_proj` is `[experts, 2 * size, hidden]`, `down_proj` `[experts, hidden, size]`. Only the rows of chosen
    experts are read.
    """

    def __init__(self, config: DecoderConfig, mlp: Callable[[DecoderConfig, int], nn.Module]) -> None:
        experts = config.experts
        assert experts is not None
        self.experts, self.kind = experts, config.activation
        self.gate = nn.Linear(config.hidden_size, experts.count, bias=False)
        if experts.corrected:
            self.correction = nn.Parameter((experts.count,), "float32")
        self.gate_up_proj = nn.Parameter((experts.count, 2 * experts.size, config.hidden_size))
        self.down_proj = nn.Parameter((experts.count, config.hidden_size, experts.size))
        if experts.shared:
            self.shared = mlp(config, experts.shared)
        if experts.shared_gate:
            self.shared_gate = nn.Linear(config.hidden_size, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The sum of the chosen experts' results by their weights, and of the shared one's."""
        batch, tokens, hidden = x.shape
        rows = op.reshape(x, (batch * tokens, hidden))
        weights, chosen = self._route(rows)
        gate_up = _of_chosen(rows, self.gate_up_proj, chosen)
        gate, up = op.split(gate_up, 2, axis=-1)
        made = _sum_of_chosen(activation(self.kind, gate) * up, self.down_proj, chosen, weights)
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


def _of_chosen(rows: Tensor, weight: Tensor, chosen: Tensor) -> Tensor:
    """Products of each row, `[tokens, inputs]`, with its experts' weights: `[tokens, used, outputs]`."""

    def values(x: te.Tensor, w: te.Tensor, e: te.Tensor) -> te.Tensor:
        inputs = te.reduce_axis((0, w.shape[2]), "inputs")

        def value(token: Any, choice: Any, output: Any) -> Any:
            product = x[token, inputs].astype("float32") * w[e[token, choice], output, inputs].astype("float32")
            return te.sum(product, inputs)

        return te.compute((x.shape[0], e.shape[1], w.shape[1]), value, "of_chosen")

    return op.tensor_expr_op(values, "of_chosen", [rows, weight, chosen]).astype(rows.dtype)


def _sum_of_chosen(inner: Tensor, weight: Tensor, chosen: Tensor, weights: Tensor) -> Tensor:
    """Products of `[tokens, used, inputs]` with the experts' weights, added by the tokens' weights of them."""

    def values(x: te.Tensor, w: te.Tensor, e: te.Tensor, by: te.Tensor) -> te.Tensor:
        choice = te.reduce_axis((0, e.shape[1]), "choice")
        inputs = te.reduce_axis((0, w.shape[2]), "inputs")

        def value(token: Any, output: Any) -> Any:
            product = x[token, choice, inputs].astype("float32") * w[e[token, choice], output, inputs].astype("float32")
            return te.sum(product * by[token, choice].astype("float32"), [choice, inputs])

        return te.compute((x.shape[0], w.shape[1]), value, "sum_of_chosen")

    return op.tensor_expr_op(values, "sum_of_chosen", [inner, weight, chosen, weights]).astype(inner.dtype)
