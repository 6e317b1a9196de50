"""Language models whose state is a few tensors a layer: what their methods have in common.

A subclass has `model`, of embeddings and the state to hidden states and the state, and `first_states`. The state is the
runtime's (`RNNState`): a step reads the states of its sequences, `[sequences, ...]`, and sets new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import tir
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from ...relax.frontend.nn.llm.rnn_state import RNNState
from .parts import last_row

__all__ = ["Backbone", "RecurrentModel"]


class Backbone(nn.Module):
    """Embedding, layers and the last norm."""

    def __init__(self, config: Any, layer: Callable[[Any, int], nn.Module], norm: nn.Module) -> None:
        self.embed_tokens = nn.Embedding("vocab_size", config.hidden_size)
        self.layers = nn.ModuleList([layer(config, number) for number in range(config.num_hidden_layers)])
        self.norm = norm

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """Hidden states of the step's tokens, of their embeddings, and the state."""
        for layer in self.layers:
            x, state = layer(x, state)
        return self.norm(x), state


class RecurrentModel(nn.Module):
    """A recurrent language model, with the methods that engines of MLC LLM call.

    In a step of `prefill`, `batch_prefill` and `batch_verify` one sequence gets tokens, `[1, tokens, hidden]`; in one
    of `batch_decode` each of several gets one, `[sequences, 1, hidden]`. Logits are float32.
    """

    model: Any

    def __init__(self, config: Any) -> None:
        self.config, self.dtype = config, "float32"
        if not config.tied:
            self.lm_head = nn.Linear(config.hidden_size, "vocab_size", bias=False)

    def to(self, dtype: str | None = None) -> None:
        """Changes the type of weights and hidden states; that of the state stays."""
        super().to(dtype=dtype)
        self.dtype = dtype or self.dtype

    def first_states(self) -> Sequence[Tensor]:
        """The states of a layer before the first token."""
        raise NotImplementedError

    def get_logits(self, hidden_states: Tensor) -> Tensor:
        """Logits of hidden states, `[..., vocab_size]` of float32."""
        if self.config.tied:
            return op.matmul(hidden_states, op.permute_dims(self.model.embed_tokens.weight), out_dtype="float32")
        logits = self.lm_head(hidden_states)
        return logits if logits.dtype == "float32" else logits.astype("float32")

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embeddings of tokens, `[tokens, hidden]`."""
        return self.model.embed_tokens(input_ids)

    def prefill(self, input_embed: Tensor, rnn_state: RNNState) -> tuple[Tensor, RNNState]:
        """Logits of the last token of one sequence, `[1, 1, vocab_size]`."""
        hidden_states, rnn_state = self.model(input_embed, rnn_state)
        return self.get_logits(last_row(hidden_states)), rnn_state

    def decode(self, input_embed: Tensor, rnn_state: RNNState) -> tuple[Tensor, RNNState]:
        """Logits of the only token, `[1, 1, vocab_size]`."""
        return self._all(input_embed, rnn_state)

    def batch_prefill(
        self, input_embeds: Tensor, logit_positions: Tensor, rnn_state: RNNState
    ) -> tuple[Tensor, RNNState]:
        """Logits of some tokens of one sequence, `[1, positions, vocab_size]`."""
        hidden_states, rnn_state = self.model(input_embeds, rnn_state)
        return self.get_logits(op.take(hidden_states, logit_positions, axis=1)), rnn_state

    def batch_decode(self, input_embeds: Tensor, rnn_state: RNNState) -> tuple[Tensor, RNNState]:
        """Logits of a token of each sequence, `[sequences, 1, vocab_size]`."""
        return self._all(input_embeds, rnn_state)

    def batch_verify(self, input_embeds: Tensor, rnn_state: RNNState) -> tuple[Tensor, RNNState]:
        """Logits of all tokens of one sequence, `[1, tokens, vocab_size]`."""
        return self._all(input_embeds, rnn_state)

    def _all(self, embeds: Tensor, rnn_state: RNNState) -> tuple[Tensor, RNNState]:
        hidden_states, rnn_state = self.model(embeds, rnn_state)
        return self.get_logits(hidden_states), rnn_state

    def create_rnn_state(self, max_batch_size: tir.Var, max_history: tir.Var) -> RNNState:
        """The states of the layers."""
        return RNNState.create(max_batch_size, self.config.num_hidden_layers, max_history, self.first_states())

    def get_default_spec(self) -> nn.spec.ModuleSpec:
        """Shapes and types of the methods' arguments."""
        hidden, modes = self.config.hidden_size, {"param_mode": "packed", "effect_mode": "none"}
        state = {"rnn_state": nn.spec.Object(object_type=RNNState), "$": modes}

        def embeds(*shape: Any) -> nn.spec.Tensor:
            return nn.spec.Tensor([*shape, hidden], self.dtype)

        positions = nn.spec.Tensor(["batch_size"], "int32")
        sizes = dict.fromkeys(("max_batch_size", "max_history"), int)
        spec = {
            "embed": {"input_ids": nn.spec.Tensor(["seq_len"], "int32"), "$": modes},
            "get_logits": {"hidden_states": embeds("seq_len"), "$": modes},
            "prefill": {"input_embed": embeds(1, "seq_len"), **state},
            "decode": {"input_embed": embeds(1, 1), **state},
            "batch_prefill": {"input_embeds": embeds(1, "seq_len"), "logit_positions": positions, **state},
            "batch_decode": {"input_embeds": embeds("batch_size", 1), **state},
            "batch_verify": {"input_embeds": embeds(1, "seq_len"), **state},
            "create_rnn_state": {**sizes, "$": {"param_mode": "none", "effect_mode": "none"}},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)
