"""Mamba 2 (arXiv 2405.21060): a convolution over the last tokens, and a state that each token scales and adds to.

A layer's states are the last inputs of the convolution, and for each head a matrix `[head_dim, state_size]`:
`state = state * exp(dt * A) + dt * x B^T`, and `y = state C + D x`, with `dt`, `B` and `C` made of the token.
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

__all__ = ["MAMBA2", "Mamba2", "Mamba2Config"]


@dataclass(frozen=True)
class Mamba2Config:
    """A Mamba 2. `dt_limit` is the least and the greatest step; the inner size is `num_heads * head_dim`."""

    architecture: str
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int
    context_window_size: int
    num_heads: int
    head_dim: int
    state_size: int
    groups: int
    kernel: int
    norm_eps: float
    bias: bool
    conv_bias: bool
    dt_limit: tuple[float, float]
    tied: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def inner(self) -> int:
        """Elements of all heads."""
        return self.num_heads * self.head_dim

    @property
    def mixed(self) -> int:
        """Elements that the convolution mixes: x, B and C."""
        return self.inner + 2 * self.groups * self.state_size

    def prepared(self) -> Mamba2Config:
        """The same: the runtime's state has all that it needs."""
        return self


class Mixer(nn.Module):
    """The layer's mixing of tokens: `[sequences, tokens, hidden]` to the same shape."""

    def __init__(self, config: Mamba2Config, layer: int) -> None:
        self.config, self.layer = config, layer
        self.in_proj = nn.Linear(config.hidden_size, config.inner + config.mixed + config.num_heads, bias=config.bias)
        self.conv_weight = nn.Parameter((config.mixed, config.kernel))
        self.conv_bias = nn.Parameter((config.mixed,)) if config.conv_bias else None
        self.dt_bias = nn.Parameter((config.num_heads,))
        self.a_log = nn.Parameter((config.num_heads,))
        self.d = nn.Parameter((config.num_heads,))
        self.norm = nn.Parameter((config.inner,))
        self.out_proj = nn.Linear(config.inner, config.hidden_size, bias=config.bias)

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """What the tokens take from those before them."""
        config = self.config
        batch, tokens, _ = x.shape
        gate, mixed, dt = op.split(self.in_proj(x), [config.inner, config.inner + config.mixed], axis=-1)
        before = state.get(self.layer, 0, [batch, config.mixed, config.kernel - 1], "float32")
        mixed, after = _convolved(mixed.astype("float32"), before, self.conv_weight)
        if self.conv_bias is not None:
            mixed = mixed + self.conv_bias.astype("float32")
        state = state.set(self.layer, 0, after)
        part = config.groups * config.state_size
        inner, b, c = op.split(op.silu(mixed), [config.inner, config.inner + part], axis=-1)
        dt = op.softplus(dt.astype("float32") + self.dt_bias.astype("float32"))
        low, high = config.dt_limit
        dt = op.maximum(dt, nn.wrap_nested(_scalar(low), "least")) if low > 0 else dt
        dt = op.minimum(dt, nn.wrap_nested(_scalar(high), "most")) if high < float("inf") else dt
        decay = op.exp(op.negative(dt * op.exp(self.a_log.astype("float32"))))
        heads = (batch, tokens, config.num_heads, config.head_dim)
        groups = (batch, tokens, config.groups, config.state_size)
        sizes = [batch, config.num_heads, config.head_dim, config.state_size]
        given = (op.reshape(inner, heads), dt, decay, op.reshape(b, groups), op.reshape(c, groups))
        y, after = _scanned(config, *given, self.d.astype("float32"), state.get(self.layer, 1, sizes, "float32"))
        state = state.set(self.layer, 1, after)
        return self.out_proj(self._gated(op.reshape(y, inner.shape), gate).astype(x.dtype)), state

    def _gated(self, y: Tensor, gate: Tensor) -> Tensor:
        """The RMS norm of each group of the gated elements."""
        config = self.config
        batch, tokens, _ = y.shape
        size = config.inner // config.groups
        y = op.reshape(y * op.silu(gate.astype("float32")), (batch, tokens, config.groups, size))
        ones = op.ones((size,), "float32")
        y = op.reshape(op.rms_norm(y, ones, -1, config.norm_eps), (batch, tokens, config.inner))
        return y * self.norm.astype("float32")


def _scalar(value: float) -> Any:
    from ...relax import const

    return const(value, "float32")


def _convolved(x: Tensor, before: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """The convolution of each element over its last inputs, and the inputs to keep.

    `x` is `[sequences, tokens, elements]`, `before` `[sequences, elements, kernel - 1]`.
    """

    def values(inputs: te.Tensor, kept: te.Tensor, w: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
        batch, tokens, size = inputs.shape
        kernel = w.shape[1]

        def padded(b: Any, position: Any, e: Any) -> Any:
            """The input at a position of which the first `kernel - 1` are those that were kept."""
            old = kept[b, e, tir.min(position, kernel - 2)]
            new = inputs[b, tir.max(position - (kernel - 1), 0), e]
            return tir.if_then_else(position < kernel - 1, old, new)

        at = te.reduce_axis((0, kernel), "at")
        mixed = te.compute(
            (batch, tokens, size),
            lambda b, t, e: te.sum(padded(b, t + at, e) * w[e, at].astype("float32"), at),
            "convolved",
        )
        last = te.compute((batch, size, kernel - 1), lambda b, e, t: padded(b, tokens + t, e), "last_inputs")
        return mixed, last

    return op.tensor_expr_op(values, "convolved", [x, before, weight])


def _scanned(
    config: Mamba2Config, x: Tensor, dt: Tensor, decay: Tensor, b: Tensor, c: Tensor, d: Tensor, before: Tensor
) -> tuple[Tensor, Tensor]:
    """The tokens one after another: what each gives, `[sequences, tokens, heads, head_dim]`, and the last states."""
    heads, size, states, groups = config.num_heads, config.head_dim, config.state_size, config.groups

    @T.prim_func(private=True)
    def scan(
        var_x: T.handle, var_dt: T.handle, var_decay: T.handle, var_b: T.handle, var_c: T.handle,
        d: T.Buffer((heads,), "float32"), var_before: T.handle, var_y: T.handle, var_after: T.handle,
    ):  # fmt: skip
        T.func_attr({"tir.noalias": True})
        batch, tokens = T.int64(), T.int64()
        x = T.match_buffer(var_x, (batch, tokens, heads, size), "float32")
        dt = T.match_buffer(var_dt, (batch, tokens, heads), "float32")
        decay = T.match_buffer(var_decay, (batch, tokens, heads), "float32")
        b = T.match_buffer(var_b, (batch, tokens, groups, states), "float32")
        c = T.match_buffer(var_c, (batch, tokens, groups, states), "float32")
        before = T.match_buffer(var_before, (batch, heads, size, states), "float32")
        y = T.match_buffer(var_y, (batch, tokens, heads, size), "float32")
        after = T.match_buffer(var_after, (batch, heads, size, states), "float32")
        for n, h, p in T.grid(batch, heads, size):
            with T.block("scan"):
                vn, vh, vp = T.axis.remap("SSS", [n, h, p])
                for s in range(states):
                    after[vn, vh, vp, s] = before[vn, vh, vp, s]
                for t in range(tokens):
                    y[vn, t, vh, vp] = d[vh] * x[vn, t, vh, vp]
                    for s in range(states):
                        after[vn, vh, vp, s] = (
                            after[vn, vh, vp, s] * decay[vn, t, vh]
                            + dt[vn, t, vh] * x[vn, t, vh, vp] * b[vn, t, vh // (heads // groups), s]
                        )
                        y[vn, t, vh, vp] = (
                            y[vn, t, vh, vp] + after[vn, vh, vp, s] * c[vn, t, vh // (heads // groups), s]
                        )

    out = [Tensor.placeholder(list(x.shape), "float32"), Tensor.placeholder(list(before.shape), "float32")]
    return op.tensor_ir_op(scan, "scan", [x, dt, decay, b, c, d, before], out)


class Mamba2Layer(nn.Module):
    """A norm and the mixer, added to the hidden states."""

    def __init__(self, config: Mamba2Config, layer: int) -> None:
        self.norm = nn.RMSNorm(config.hidden_size, -1, config.norm_eps, bias=False)
        self.mixer = Mixer(config, layer)

    def forward(self, x: Tensor, state: RNNState) -> tuple[Tensor, RNNState]:
        """The hidden states after this layer, and the state."""
        made, state = self.mixer(self.norm(x), state)
        return x + made, state


class Mamba2(RecurrentModel):
    """A Mamba 2."""

    def __init__(self, config: Mamba2Config) -> None:
        super().__init__(config)
        self.model = Backbone(config, Mamba2Layer, nn.RMSNorm(config.hidden_size, -1, config.norm_eps, bias=False))

    def first_states(self) -> list[Tensor]:
        """Zeros: the inputs of the convolution, and the matrices of the heads."""
        config = self.config
        shapes = ((config.mixed, config.kernel - 1), (config.num_heads, config.head_dim, config.state_size))
        return [op.zeros(shape, "float32") for shape in shapes]


def _config(settings: Settings, sizes: dict[str, Any]) -> Mamba2Config:
    groups = settings.integer("n_groups", 8, most=1 << 10)
    if sizes["num_attention_heads"] % groups:
        raise settings.wrong("n_groups", f"a divisor of {sizes['num_attention_heads']} heads")
    common = ("architecture", "hidden_size", "num_hidden_layers", "vocab_size", "context_window_size", "tied")
    return Mamba2Config(
        **{name: sizes[name] for name in common},
        num_heads=sizes["num_attention_heads"],
        head_dim=sizes["head_dim"],
        state_size=settings.integer("state_size", 128, most=1 << 12),
        groups=groups,
        kernel=settings.integer("conv_kernel", 4, least=2, most=64),
        norm_eps=settings.number("layer_norm_epsilon", 1e-5),
        bias=settings.flag("use_bias", False),
        conv_bias=settings.flag("use_conv_bias", True),
        dt_limit=_limit(settings),
    )


def _limit(settings: Settings) -> tuple[float, float]:
    """The least and the greatest step; an infinite one is a text, or an object with one, in some files."""
    given = settings.raw("time_step_limit")
    if given is None:
        return 0.0, float("inf")
    if not isinstance(given, list) or len(given) != 2:
        raise settings.wrong("time_step_limit", "two numbers")
    found = [own.get("__float__") if isinstance(own, dict) else own for own in given]
    try:
        low, high = map(float, found)
    except (TypeError, ValueError):
        raise settings.wrong("time_step_limit", "two numbers") from None
    if not 0 <= low <= high:
        raise settings.wrong("time_step_limit", "two numbers of at least 0, the lesser one first")
    return low, high


def _names(_config: Mamba2Config) -> Naming:
    layer = "backbone.layers.{i}."
    roles = {
        "embed": "backbone.embeddings",
        "norm": "backbone.norm_f",
        "head": "lm_head",
        "layer_norm": layer + "norm",
        **{own: f"{layer}mixer.{own}" for own in ("in_proj", "conv1d", "out_proj", "dt_bias", "A_log", "D")},
        "gated_norm": layer + "mixer.norm",
    }
    return Naming(roles)


def _recipes(config: Mamba2Config, naming: Naming, prefix: str, _stored: Any) -> Iterator[tuple[str, Recipe]]:
    """The parameters with their recipes, layer by layer."""

    def whole(role: str, layer: int, shape: tuple[int, ...], suffix: str = ".weight", own: Any = None) -> Recipe:
        return Recipe(shape, (Part(prefixed(naming, prefix, role, layer) + suffix, own or shape),))

    hidden, inner, mixed, heads = config.hidden_size, config.inner, config.mixed, config.num_heads
    yield "model.embed_tokens.weight", whole("embed", 0, (config.vocab_size, hidden))
    for layer in range(config.num_hidden_layers):
        at = f"model.layers.{layer}."
        yield at + "norm.weight", whole("layer_norm", layer, (hidden,))
        for role, shape in (("in_proj", (inner + mixed + heads, hidden)), ("out_proj", (hidden, inner))):
            yield f"{at}mixer.{role}.weight", whole(role, layer, shape)
            if config.bias:
                yield f"{at}mixer.{role}.bias", whole(role, layer, shape[:1], ".bias")
        kernel = config.kernel
        yield at + "mixer.conv_weight", whole("conv1d", layer, (mixed, kernel), own=(mixed, 1, kernel))
        if config.conv_bias:
            yield at + "mixer.conv_bias", whole("conv1d", layer, (mixed,), ".bias")
        for name, role in (("dt_bias", "dt_bias"), ("a_log", "A_log"), ("d", "D")):
            yield f"{at}mixer.{name}", whole(role, layer, (heads,), "")
        yield at + "mixer.norm", whole("gated_norm", layer, (inner,))
    yield "model.norm.weight", whole("norm", 0, (hidden,))
    if not config.tied:
        yield "lm_head.weight", whole("head", 0, (config.vocab_size, hidden))


MAMBA2 = Architecture(
    name="mamba2",
    title="Mamba 2, Codestral Mamba",
    model_types=("mamba2",),
    config=_config,
    hf=_names,
    aliases={"num_attention_heads": "num_heads"},
    module=Mamba2,
    recipes=_recipes,
    remarks="one sequence in a step of a prompt",
)
