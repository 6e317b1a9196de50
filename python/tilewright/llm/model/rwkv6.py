"""RWKV 6, "Finch" (arXiv 2404.05892): attention as a matrix for each head, which each token decays and adds to.

With the token's `r`, `k`, `v` and decay `w`, head by head: `y = r (diag(u) k v^T + state)`, and then
`state = diag(w) state + k v^T`. Inputs are mixed with those of the token before, by parts that depend on the token. A
layer's states are the last inputs of both halves, and the matrices, `[values, keys]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ... import te, tir
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from ...relax.frontend.nn.llm.rnn_state import RNNState
from ...script import tir as T
from .architecture import Architecture
from .names import Naming, Part, Recipe, prefixed
from .recurrent import Backbone, RecurrentModel
from .settings import Settings

__all__ = ["RWKV6", "Rwkv6", "Rwkv6Config"]

#: What is mixed with the token before: decay, keys, values, receptance, gate.
MIXED = "wkvrg"


@dataclass(frozen=True)
class Rwkv6Config:
    """An RWKV 6: `num_heads * head_dim` is the inner size, `mix` and `decay` are ranks of what depends on tokens."""

    architecture: str
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int
    context_window_size: int
    num_heads: int
    head_dim: int
    intermediate_size: int
    mix: int
    decay: int
    norm_eps: float
    head_norm_eps: float
    tied: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def inner(self) -> int:
        """Elements of all heads."""
        return self.num_heads * self.head_dim

    def prepared(self) -> Rwkv6Config:
        """The same: the runtime's state has all that it needs."""
        return self


def _before(x: Tensor, state: RNNState, layer: int, index: int) -> tuple[Tensor, RNNState]:
    """The input of the token before each, and the state with the last input."""
    batch, _, size = x.shape
    last = state.get(layer, index, [batch, size], "float32")

    def values(inputs: te.Tensor, kept: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
        batch, tokens, size = inputs.shape

        def value(b: Any, t: Any, e: Any) -> Any:
            before = inputs[b, tir.max(t - 1, 0), e]
            return tir.if_then_else(t == 0, kept[b, e].astype(inputs.dtype), before)

        shifted = te.compute((batch, tokens, size), value, "token_before")
        return shifted, te.compute((batch, size), lambda b, e: inputs[b, tokens - 1, e].astype("float32"), "last_input")

    shifted, last = op.tensor_expr_op(values, "token_before", [x, last])
    return shifted, state.set(layer, index, last)


class TimeMixing(nn.Module):
    """What a token takes from those before it: `[sequences, tokens, hidden]` to the same shape."""

    def __init__(self, config: Rwkv6Config, layer: int) -> None:
        self.config, self.layer = config, layer
        hidden, inner = config.hidden_size, config.inner
        self.mix_x = nn.Parameter((hidden,))
        self.mix = nn.Parameter((len(MIXED), 1, hidden))
        self.mix_w1 = nn.Parameter((hidden, len(MIXED) * config.mix))
        self.mix_w2 = nn.Parameter((len(MIXED), config.mix, hidden))
        self.decay = nn.Parameter((inner,))
        self.decay_w1 = nn.Parameter((hidden, config.decay))
        self.decay_w2 = nn.Parameter((config.decay, inner))
        self.first = nn.Parameter((config.num_heads, config.head_dim))
        self.receptance = nn.Linear(hidden, inner, bias=False)
        self.key = nn.Linear(hidden, inner, bias=False)
        self.value = nn.Linear(hidden, inner, bias=False)
        self.gate = nn.Linear(hidden, inner, bias=False)
        self.output = nn.Linear(inner, hidden, bias=False)
        self.norm_weight = nn.Parameter((inner,))
        self.norm_bias = nn.Parameter((inner,))

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """The mixed tokens, and the state."""
        config = self.config
        batch, tokens, _ = x.shape
        before, state = _before(x, state, self.layer, 0)
        w, k, v, r, g = self._mixed(x, before - x)
        decay = self.decay + op.matmul(op.tanh(op.matmul(w, self.decay_w1)), self.decay_w2)
        decay = op.exp(op.negative(op.exp(decay.astype("float32"))))
        heads = (batch, tokens, config.num_heads, config.head_dim)
        given = [op.reshape(own.astype("float32"), heads) for own in (self.receptance(r), self.key(k), self.value(v))]
        shape = [batch, config.num_heads, config.head_dim, config.head_dim]
        matrices = state.get(self.layer, 1, shape, "float32")
        y, matrices = _scanned(config, *given, op.reshape(decay, heads), self.first.astype("float32"), matrices)
        state = state.set(self.layer, 1, matrices)
        ones, zeros = op.ones((config.head_dim,), "float32"), op.zeros((config.head_dim,), "float32")
        y = op.layer_norm(y, config.head_dim, ones, zeros, config.head_norm_eps)
        y = op.reshape(y, (batch, tokens, config.inner)).astype(x.dtype) * self.norm_weight + self.norm_bias
        return self.output(y * op.silu(self.gate(g))), state

    def _mixed(self, x: Tensor, change: Tensor) -> tuple[Tensor, ...]:
        """The inputs of what is computed, each mixed with the token before by parts of its own."""
        batch, tokens, hidden = x.shape
        parts = op.tanh(op.matmul(x + change * self.mix_x, self.mix_w1))
        parts = op.reshape(parts, (batch * tokens, len(MIXED), self.config.mix))
        parts = op.matmul(op.permute_dims(parts, [1, 0, 2]), self.mix_w2) + self.mix
        rows, changes = (op.reshape(own, (1, batch * tokens, hidden)) for own in (x, change))
        mixed = op.split(rows + changes * parts, len(MIXED), axis=0)
        return tuple(op.reshape(own, (batch, tokens, hidden)) for own in mixed)


def _scanned(
    config: Rwkv6Config, r: Tensor, k: Tensor, v: Tensor, decay: Tensor, first: Tensor, before: Tensor
) -> tuple[Tensor, Tensor]:
    """The tokens one after another: what each gives, `[sequences, tokens, heads, size]`, and the last matrices."""
    heads, size = config.num_heads, config.head_dim

    @T.prim_func(private=True)
    def scan(
        var_r: T.handle, var_k: T.handle, var_v: T.handle, var_decay: T.handle,
        first: T.Buffer((heads, size), "float32"), var_before: T.handle, var_y: T.handle, var_after: T.handle,
    ):  # fmt: skip
        T.func_attr({"tir.noalias": True})
        batch, tokens = T.int64(), T.int64()
        r = T.match_buffer(var_r, (batch, tokens, heads, size), "float32")
        k = T.match_buffer(var_k, (batch, tokens, heads, size), "float32")
        v = T.match_buffer(var_v, (batch, tokens, heads, size), "float32")
        decay = T.match_buffer(var_decay, (batch, tokens, heads, size), "float32")
        before = T.match_buffer(var_before, (batch, heads, size, size), "float32")
        y = T.match_buffer(var_y, (batch, tokens, heads, size), "float32")
        after = T.match_buffer(var_after, (batch, heads, size, size), "float32")
        for n, h, j in T.grid(batch, heads, size):
            with T.block("scan"):
                vn, vh, vj = T.axis.remap("SSS", [n, h, j])
                for i in range(size):
                    after[vn, vh, vj, i] = before[vn, vh, vj, i]
                for t in range(tokens):
                    y[vn, t, vh, vj] = T.float32(0)
                    for i in range(size):
                        y[vn, t, vh, vj] = y[vn, t, vh, vj] + r[vn, t, vh, i] * (
                            first[vh, i] * k[vn, t, vh, i] * v[vn, t, vh, vj] + after[vn, vh, vj, i]
                        )
                        after[vn, vh, vj, i] = (
                            after[vn, vh, vj, i] * decay[vn, t, vh, i] + k[vn, t, vh, i] * v[vn, t, vh, vj]
                        )

    out = [Tensor.placeholder(list(r.shape), "float32"), Tensor.placeholder(list(before.shape), "float32")]
    return op.tensor_ir_op(scan, "scan", [r, k, v, decay, first, before], out)


class ChannelMixing(nn.Module):
    """The MLP: squares of a ReLU, and a gate of sigmoids."""

    def __init__(self, config: Rwkv6Config, layer: int) -> None:
        self.layer = layer
        self.mix_k = nn.Parameter((config.hidden_size,))
        self.mix_r = nn.Parameter((config.hidden_size,))
        self.key = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.receptance = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.value = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """The MLP of each token, and the state."""
        before, state = _before(x, state, self.layer, 2)
        change = before - x
        made = self.value(op.square(op.relu(self.key(x + change * self.mix_k))))
        return op.sigmoid(self.receptance(x + change * self.mix_r)) * made, state


class Rwkv6Layer(nn.Module):
    """Both kinds of mixing, each after a norm and added to the hidden states."""

    def __init__(self, config: Rwkv6Config, layer: int) -> None:
        hidden, eps = config.hidden_size, config.norm_eps
        self.pre_ln = nn.LayerNorm(hidden, eps) if layer == 0 else None
        self.ln1, self.ln2 = nn.LayerNorm(hidden, eps), nn.LayerNorm(hidden, eps)
        self.attention = TimeMixing(config, layer)
        self.feed_forward = ChannelMixing(config, layer)

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """The hidden states after this layer, and the state."""
        x = x if self.pre_ln is None else self.pre_ln(x)
        made, state = self.attention(self.ln1(x), state)
        x = x + made
        made, state = self.feed_forward(self.ln2(x), state)
        return x + made, state


class Rwkv6(RecurrentModel):
    """An RWKV 6."""

    def __init__(self, config: Rwkv6Config) -> None:
        super().__init__(config)
        self.model = Backbone(config, Rwkv6Layer, nn.LayerNorm(config.hidden_size, config.norm_eps))

    def first_states(self) -> list[Tensor]:
        """Zeros: the last inputs, and the matrices of the heads."""
        config = self.config
        matrices = (config.num_heads, config.head_dim, config.head_dim)
        return [op.zeros(shape, "float32") for shape in ((config.hidden_size,), matrices, (config.hidden_size,))]


def _config(settings: Settings, sizes: dict[str, Any]) -> Rwkv6Config:
    hidden = sizes["hidden_size"]
    inner, size = settings.integer("attention_hidden_size", hidden), settings.integer("head_size", 64, most=1 << 10)
    if inner % size:
        raise settings.wrong("head_size", f"a divisor of the inner size {inner}")
    divisor, eps = settings.integer("head_size_divisor", 8, most=1 << 10), settings.number("layer_norm_epsilon", 1e-5)
    common = ("architecture", "hidden_size", "num_hidden_layers", "vocab_size", "context_window_size", "tied")
    return Rwkv6Config(
        **{name: sizes[name] for name in common},
        num_heads=inner // size,
        head_dim=size,
        intermediate_size=settings.integer("intermediate_size", max(hidden * 7 // 2 // 32 * 32, 1)),
        mix=settings.integer("time_mix_extra_dim", 64 if hidden == 4096 else 32, most=1 << 10),
        decay=settings.integer("time_decay_extra_dim", 128 if hidden == 4096 else 64, most=1 << 10),
        norm_eps=eps,
        head_norm_eps=1e-5 * divisor**2,
    )


def _names(_config: Rwkv6Config) -> Naming:
    layer = "rwkv.blocks.{i}."
    attention = ("receptance", "key", "value", "gate", "output", "ln_x", "time_decay", "time_decay_w1", "time_decay_w2")
    mixing = ("time_faaaa", "time_maa_w1", "time_maa_w2", *(f"time_maa_{own}" for own in "x" + MIXED))
    roles = {
        "embed": "rwkv.embeddings",
        "norm": "rwkv.ln_out",
        "head": "head",
        **{own: layer + own for own in ("pre_ln", "ln1", "ln2")},
        **{own: f"{layer}attention.{own}" for own in (*attention, *mixing)},
        **{f"ffn_{own}": f"{layer}feed_forward.{own}" for own in ("key", "receptance", "value")},
        **{f"ffn_{own}": f"{layer}feed_forward.{own}" for own in ("time_maa_k", "time_maa_r")},
    }
    return Naming(roles)


def _recipes(config: Rwkv6Config, naming: Naming, prefix: str, _stored: Any) -> Iterator[tuple[str, Recipe]]:
    """The parameters with their recipes, layer by layer."""
    hidden, table = config.hidden_size, (config.vocab_size, config.hidden_size)

    def whole(role: str, layer: int, shape: tuple[int, ...], suffix: str = "", own: Any = None) -> Recipe:
        return Recipe(shape, (Part(prefixed(naming, prefix, role, layer) + suffix, own or shape),))

    def norm(own: str, role: str, layer: int) -> Iterator[tuple[str, Recipe]]:
        for suffix in (".weight", ".bias"):
            yield own + suffix, whole(role, layer, (hidden,), suffix)

    yield "model.embed_tokens.weight", whole("embed", 0, table, ".weight")
    for layer in range(config.num_hidden_layers):
        at = f"model.layers.{layer}."
        for own in ("pre_ln", "ln1", "ln2") if layer == 0 else ("ln1", "ln2"):
            yield from norm(at + own, own, layer)
        names = [prefixed(naming, prefix, f"time_maa_{own}", layer) for own in MIXED]
        parts = tuple(Part(name, (1, 1, hidden)) for name in names)
        yield at + "attention.mix", Recipe((len(MIXED), 1, hidden), parts)
        for name, role, shape, own in _of_attention(config):
            yield f"{at}attention.{name}", whole(role, layer, shape, own=own)
        for name, shape in (("gate", None), ("key", None), ("receptance", None), ("value", None), ("output", 1)):
            size = (config.inner, hidden) if shape is None else (hidden, config.inner)
            yield f"{at}attention.{name}.weight", whole(name, layer, size, ".weight")
        for suffix in ("weight", "bias"):
            yield f"{at}attention.norm_{suffix}", whole("ln_x", layer, (config.inner,), "." + suffix)
        for own in ("k", "r"):
            yield f"{at}feed_forward.mix_{own}", whole(f"ffn_time_maa_{own}", layer, (hidden,), own=(1, 1, hidden))
        wide = config.intermediate_size
        for own, size in (("key", (wide, hidden)), ("receptance", (hidden, hidden)), ("value", (hidden, wide))):
            yield f"{at}feed_forward.{own}.weight", whole(f"ffn_{own}", layer, size, ".weight")
    yield from norm("model.norm", "norm", 0)
    if not config.tied:
        yield "lm_head.weight", whole("head", 0, table, ".weight")


def _of_attention(config: Rwkv6Config) -> tuple[tuple[str, str, tuple[int, ...], tuple[int, ...] | None], ...]:
    """Parameters, roles, shapes, and shapes in checkpoints where those are others."""
    hidden, inner, mixed = config.hidden_size, config.inner, len(MIXED)
    return (
        ("mix_x", "time_maa_x", (hidden,), (1, 1, hidden)),
        ("mix_w1", "time_maa_w1", (hidden, mixed * config.mix), None),
        ("mix_w2", "time_maa_w2", (mixed, config.mix, hidden), None),
        ("decay", "time_decay", (inner,), (1, 1, inner)),
        ("decay_w1", "time_decay_w1", (hidden, config.decay), None),
        ("decay_w2", "time_decay_w2", (config.decay, inner), None),
        ("first", "time_faaaa", (config.num_heads, config.head_dim), None),
    )


RWKV6 = Architecture(
    name="rwkv6",
    title="RWKV 6",
    model_types=("rwkv6",),
    config=_config,
    hf=_names,
    module=Rwkv6,
    recipes=_recipes,
    defaults={"num_attention_heads": 1},
    remarks="one sequence in a step of a prompt",
)
