"""Names of weights: where a checkpoint has each parameter of a decoder, and how its rows are put together.

A parameter is rows of tensors of the checkpoint, one after another: q, k and v become `qkv_proj`, gate and up
`gate_up_proj`. Rows move as a whole, so that blocks of quantised elements stay as they are. RoPE as some checkpoints
have it rotates elements 2 i and 2 i + 1 of a head; here it rotates element i of both halves: the rows of queries and
keys move, and scores, which are products of both, stay.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...error import TVMError
from .config import DecoderConfig, Latent

__all__ = [
    "Naming",
    "Part",
    "Recipe",
    "gguf_naming",
    "halves_of_pairs",
    "hf_naming",
    "mlc_naming",
    "prefixed",
    "recipes",
    "stem_of",
]


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of a tensor: all, or those of `rows` in that order. `transposed` tensors have rows as columns."""

    name: str
    shape: tuple[int, ...]
    rows: np.ndarray | range | None = None
    transposed: bool = False


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a parameter of `shape` is made: rows of its parts one after another, plus `add`.

    A vector's elements are its rows; of other tensors, rows are along the last axis.
    """

    shape: tuple[int, ...]
    parts: tuple[Part, ...]
    add: float = 0.0


@dataclass(frozen=True)
class Naming:
    """The names of a kind of checkpoint: for each role the tensor's, without `.weight` and `.bias`.

    `{i}` stands for the layer, `{e}` for the expert; each of `prefixes` may stand in front of all. Of what is stored in
    one tensor, `qkv` and `gate_up` say how: a qkv `by_group` has for each head of keys its
    queries, itself, and its values. `pairs` are the roles whose RoPE rotates neighbours. `ignored` are regular
    expressions of tensors that nothing is read of.
    """

    roles: Mapping[str, str]
    prefixes: tuple[str, ...] = ("",)
    qkv: Literal["split", "stacked", "by_group"] = "split"
    gate_up: Literal["split", "stacked"] = "split"
    transposed: bool = False
    pairs: bool = False
    norm_offset: float = 0.0
    experts: Literal["each", "stacked"] = "each"
    ignored: tuple[str, ...] = ()
    #: Roles of tensors that no prefix stands in front of.
    own_prefix: tuple[str, ...] = ()
    #: Whether the norm of each head is a tensor of its own, with the head for `{e}`.
    head_norms: Literal["each", "stacked"] = "stacked"


def hf_naming(roles: Mapping[str, str] | None = None, **options: Any) -> Naming:
    """Names as Hugging Face's Llama has them, where an architecture says no others."""
    usual = {
        "embed": "model.embed_tokens",
        "norm": "model.norm",
        "head": "lm_head",
        **{own: f"model.layers.{{i}}.self_attn.{own}_proj" for own in ("q", "k", "v", "o")},
        **{own: f"model.layers.{{i}}.mlp.{own}_proj" for own in ("gate", "up", "down")},
        "input_norm": "model.layers.{i}.input_layernorm",
        "mlp_norm": "model.layers.{i}.post_attention_layernorm",
        "q_norm": "model.layers.{i}.self_attn.q_norm",
        "k_norm": "model.layers.{i}.self_attn.k_norm",
    }
    other = r"(model\.)?(vision_tower|vision_model|visual|audio_tower|multi_modal_projector)\..*"
    ignored = (r".*\.rotary_emb\.inv_freq", other, *options.pop("ignored", ()))
    options.setdefault("prefixes", ("", "language_model.", "model.language_model."))
    return Naming({**usual, **(roles or {})}, ignored=ignored, **options)


def gguf_naming(roles: Mapping[str, str] | None = None, **options: Any) -> Naming:
    """Names as GGUF files of most architectures have them."""
    usual = {
        "embed": "token_embd",
        "positions": "position_embd",
        "norm": "output_norm",
        "head": "output",
        **{own: f"blk.{{i}}.attn_{own}" for own in ("q", "k", "v", "qkv", "q_norm", "k_norm")},
        "o": "blk.{i}.attn_output",
        **{own: f"blk.{{i}}.ffn_{own}" for own in ("gate", "up", "down")},
        "input_norm": "blk.{i}.attn_norm",
        "mlp_norm": "blk.{i}.ffn_norm",
        "attn_post_norm": "blk.{i}.post_attention_norm",
        "mlp_post_norm": "blk.{i}.post_ffw_norm",
        "router": "blk.{i}.ffn_gate_inp",
        **{f"expert_{own}": f"blk.{{i}}.ffn_{own}_exps" for own in ("gate", "up", "down")},
        **{f"shared_{own}": f"blk.{{i}}.ffn_{own}_shexp" for own in ("gate", "up", "down")},
        "shared_router": "blk.{i}.ffn_gate_inp_shexp",
    }
    ignored = (r"rope_(freqs|factors_long|factors_short)\.weight", *options.pop("ignored", ()))
    return Naming({**usual, **(roles or {})}, experts="stacked", ignored=ignored, **options)


def mlc_naming(qkv: str = "qkv_proj") -> Naming:
    """Names as MLC LLM's Llama has them, whose queries, keys and values are one tensor, and gate and up one."""
    roles = {
        "qkv": f"model.layers.{{i}}.self_attn.{qkv}",
        "gate_up": "model.layers.{i}.mlp.gate_up_proj",
    }
    return hf_naming(roles, qkv="stacked", gate_up="stacked")


def stem_of(naming: Naming, role: str, layer: int, expert: int = 0) -> str:
    """The name of a role's tensor, without prefix and suffix."""
    if role not in naming.roles:
        raise TVMError(f"these checkpoints have no name for {role!r}")
    return naming.roles[role].format(i=layer, e=expert)


def prefixed(naming: Naming, prefix: str, role: str, layer: int = 0, expert: int = 0) -> str:
    """The name of a role's tensor without suffix; a prefix that begins with `model.` stands for that beginning."""
    stem = stem_of(naming, role, layer, expert)
    if role in naming.own_prefix:
        return stem
    if prefix.startswith("model."):
        return prefix + stem.removeprefix("model.") if stem.startswith("model.") else stem
    return prefix + stem


def halves_of_pairs(heads: int, head_dim: int, rotated: int, first: int = 0) -> np.ndarray:
    """The rows of `heads` in an order in which each rotated pair lies in both halves, where they are neighbours."""
    one = np.arange(head_dim)
    one[:rotated] = np.arange(rotated).reshape(rotated // 2, 2).T.reshape(-1)
    return (first + np.arange(heads)[:, None] * head_dim + one).reshape(-1)


def recipes(
    config: DecoderConfig, naming: Naming, prefix: str = "", stored: Container[str] = ()
) -> Iterator[tuple[str, Recipe]]:
    """The parameters of a decoder with their recipes, layer by layer; `stored` are the names of a checkpoint.

    Where names allow both, `stored` says whether queries, keys and values are one tensor.
    """
    return _Recipes(config, naming, prefix, stored).all()


class _Recipes:
    def __init__(self, config: DecoderConfig, naming: Naming, prefix: str, stored: Container[str]) -> None:
        if naming.qkv == "split" and "qkv" in naming.roles:
            one = prefixed(naming, prefix, "qkv", 0) + ".weight"
            naming = replace(naming, qkv="stacked") if one in stored else naming
        self.config, self.naming, self.prefix = config, naming, prefix

    def name(self, role: str, layer: int, suffix: str = ".weight", expert: int = 0) -> str:
        return prefixed(self.naming, self.prefix, role, layer, expert) + suffix

    def all(self) -> Iterator[tuple[str, Recipe]]:
        config = self.config
        table = (config.vocab_size, config.hidden_size)
        yield "model.embed_tokens.weight", self.whole("embed", 0, table)
        if config.learned_positions:
            shape = (config.learned_positions, config.hidden_size)
            yield "model.embed_positions.weight", self.whole("positions", 0, shape)
        for layer in range(config.num_hidden_layers):
            for name, recipe in self.layer(layer):
                yield f"model.layers.{layer}.{name}", recipe
        yield from self.norm("model.norm", "norm", 0)
        if not config.tied:
            yield "lm_head.weight", self.whole("head", 0, table)
            if config.head_bias:
                yield "lm_head.bias", self.whole("head", 0, table[:1], ".bias")

    def whole(self, role: str, layer: int, shape: tuple[int, ...], suffix: str = ".weight", add: float = 0.0) -> Recipe:
        return Recipe(shape, (Part(self.name(role, layer, suffix), shape),), add)

    def norm(self, own: str, role: str, layer: int, size: int | None = None) -> Iterator[tuple[str, Recipe]]:
        shape = (self.config.hidden_size if size is None else size,)
        if self.config.norm_weight:
            yield f"{own}.weight", self.whole(role, layer, shape, add=self.naming.norm_offset)
        if self.config.norm_bias:
            yield f"{own}.bias", self.whole(role, layer, shape, ".bias")

    def layer(self, layer: int) -> Iterator[tuple[str, Recipe]]:
        config = self.config
        if config.norms != "post":
            yield from self.norm("input_layernorm", "input_norm", layer)
            if config.parallel != "one":
                yield from self.norm("pre_feedforward_layernorm", "mlp_norm", layer)
        if config.norms != "pre":
            yield from self.norm("post_attention_layernorm", "attn_post_norm", layer)
            yield from self.norm("post_feedforward_layernorm", "mlp_post_norm", layer)
        yield from self.attention(layer)
        if config.has_experts(layer):
            yield from self.experts(layer)
        else:
            yield from self.mlp("mlp", "", layer, config.intermediate_size)

    def attention(self, layer: int) -> Iterator[tuple[str, Recipe]]:
        config = self.config
        if config.latent is not None:
            yield from self.latent(layer, config.latent)
            return
        inputs = config.hidden_size
        yield "self_attn.qkv_proj.weight", self.qkv(layer, (inputs,), ".weight")
        if config.qkv_bias:
            yield "self_attn.qkv_proj.bias", self.qkv(layer, (), ".bias")
        width = config.num_attention_heads * config.head_dim
        yield "self_attn.o_proj.weight", self.product("o", layer, (inputs, width))
        if config.out_bias:
            yield "self_attn.o_proj.bias", self.whole("o", layer, (inputs,), ".bias")
        if config.qk_norm == "none":
            return
        for own, heads in (("q_norm", config.num_attention_heads), ("k_norm", config.num_key_value_heads)):
            yield f"self_attn.{own}.weight", self.head_norm(own, layer, heads)

    def latent(self, layer: int, latent: Latent) -> Iterator[tuple[str, Recipe]]:
        """Latent attention: the rotated elements of a head come first here, and last in checkpoints."""
        hidden, heads, inner = self.config.hidden_size, self.config.num_attention_heads, latent.nope + latent.rope
        rotated = halves_of_pairs(1, latent.rope, latent.rope) if self.naming.pairs else np.arange(latent.rope)
        one = np.concatenate([latent.nope + rotated, np.arange(latent.nope)])
        rows = (np.arange(heads)[:, None] * inner + one).reshape(-1)
        if latent.q_rank:
            yield "self_attn.q_a_proj.weight", self.whole("q_a_proj", layer, (latent.q_rank, hidden))
            yield "self_attn.q_a_layernorm.weight", self.whole("q_a_layernorm", layer, (latent.q_rank,))
        role, own = ("q_b_proj", "q_b_proj") if latent.q_rank else ("q", "q_proj")
        shape = (heads * inner, latent.q_rank or hidden)
        yield f"self_attn.{own}.weight", Recipe(shape, (Part(self.name(role, layer), shape, rows),))
        shape = (latent.kv_rank + latent.rope, hidden)
        rows = np.concatenate([np.arange(latent.kv_rank), latent.kv_rank + rotated])
        yield "self_attn.kv_a_proj.weight", Recipe(shape, (Part(self.name("kv_a_proj", layer), shape, rows),))
        yield "self_attn.kv_a_layernorm.weight", self.whole("kv_a_layernorm", layer, (latent.kv_rank,))
        shape = (heads * (latent.nope + latent.value), latent.kv_rank)
        yield "self_attn.kv_b_proj", self.whole("kv_b_proj", layer, shape)
        yield "self_attn.o_proj.weight", self.whole("o", layer, (hidden, heads * latent.value))

    def head_norm(self, role: str, layer: int, heads: int) -> Recipe:
        """The weights of a norm of heads, which move as the heads' rows do."""
        size, kind = self.config.head_dim, self.config.qk_norm
        shape = {"head": (size,), "heads": (heads, size), "all": (heads * size,)}[kind]
        if self.naming.head_norms == "each":
            return Recipe(shape, tuple(Part(self.name(role, layer, expert=head), (size,)) for head in range(heads)))
        order = self.order(layer, 1 if kind == "head" else heads)
        name = self.name(role, layer)
        return Recipe(shape, (Part(name, shape, order),), self.naming.norm_offset)

    def order(self, layer: int, heads: int, first: int = 0) -> np.ndarray | None:
        """The order of rows of queries or keys, or None as they are."""
        rope = self.config.layer_rope(layer)
        if not self.naming.pairs or rope is None:
            return None
        return halves_of_pairs(heads, self.config.head_dim, rope.size, first)

    def product(self, role: str, layer: int, shape: tuple[int, ...]) -> Recipe:
        """The weight of a product, which GPT-2 has with inputs as rows."""
        stored = shape[::-1] if self.naming.transposed else shape
        part = Part(self.name(role, layer), stored, transposed=self.naming.transposed)
        return Recipe(shape, (part,))

    def qkv(self, layer: int, inputs: tuple[int, ...], suffix: str) -> Recipe:
        config = self.config
        heads, kv_heads, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        counts = (heads, kv_heads, kv_heads)
        rows = (heads + 2 * kv_heads) * size
        if self.naming.qkv == "split":
            orders = (self.order(layer, heads), self.order(layer, kv_heads), None)
            parts = tuple(
                Part(self.name(role, layer, suffix), (count * size, *inputs), order)
                for role, count, order in zip("qkv", counts, orders, strict=True)
            )
            return Recipe((rows, *inputs), parts)
        transposed = self.naming.transposed and bool(inputs)
        stored = (*inputs, rows) if transposed else (rows, *inputs)
        part = Part(self.name("qkv", layer, suffix), stored, self.order_of_qkv(layer), transposed)
        return Recipe((rows, *inputs), (part,))

    def order_of_qkv(self, layer: int) -> np.ndarray | None:
        """The rows of queries, keys and values among those of one tensor."""
        config = self.config
        heads, kv_heads, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        if self.naming.qkv == "stacked":
            if not self.naming.pairs or config.layer_rope(layer) is None:
                return None
            moved = self.order(layer, heads + kv_heads)
            values = np.arange((heads + kv_heads) * size, (heads + 2 * kv_heads) * size)
            return np.concatenate([moved, values])
        group = heads // kv_heads
        units = np.arange(kv_heads * (group + 2)).reshape(kv_heads, group + 2)
        units = np.concatenate([units[:, :group].reshape(-1), units[:, group], units[:, group + 1]])
        within = np.tile(np.arange(size), (len(units), 1))
        if self.order(layer, 1) is not None:
            within[: heads + kv_heads] = self.order(layer, 1)
        return (units[:, None] * size + within).reshape(-1)

    def mlp(self, own: str, roles: str, layer: int, inner: int) -> Iterator[tuple[str, Recipe]]:
        """An MLP; `roles` stands in front of the roles' names."""
        hidden = self.config.hidden_size
        biases = [("", ".weight")] + ([("b", ".bias")] if self.config.mlp_bias else [])
        for kind, suffix in biases:
            inputs = () if kind else (hidden,)
            if not self.config.gated:
                up = self.whole(roles + "up", layer, (inner,), suffix) if kind else None
                yield f"{own}.up_proj{suffix}", up or self.product(roles + "up", layer, (inner, hidden))
            elif self.naming.gate_up == "stacked":
                whole = self.whole(roles + "gate_up", layer, (2 * inner, *inputs), suffix)
                yield f"{own}.gate_up_proj{suffix}", whole
            else:
                names = [self.name(roles + role, layer, suffix) for role in ("gate", "up")]
                parts = tuple(Part(name, (inner, *inputs)) for name in names)
                yield f"{own}.gate_up_proj{suffix}", Recipe((2 * inner, *inputs), parts)
            down = self.whole(roles + "down", layer, (hidden,), suffix) if kind else None
            yield f"{own}.down_proj{suffix}", down or self.product(roles + "down", layer, (hidden, inner))

    def experts(self, layer: int) -> Iterator[tuple[str, Recipe]]:
        experts, hidden = self.config.experts, self.config.hidden_size
        assert experts is not None
        count, size = experts.count, experts.size
        yield "mlp.gate.weight", self.whole("router", layer, (count, hidden))
        gate_up, down = (count, 2 * size, hidden), (count, hidden, size)
        if experts.corrected:
            yield "mlp.correction", self.whole("router_correction", layer, (count,), "")
        if self.naming.experts == "stacked":
            names = [self.name(f"expert_{role}", layer) for role in ("gate", "up")]
            stored = (count, size, hidden)
            rows = [range(expert * size, (expert + 1) * size) for expert in range(count)]
            parts = tuple(Part(name, stored, own) for own in rows for name in names)
            yield "mlp.gate_up_proj.weight", Recipe(gate_up, parts)
            yield "mlp.down_proj.weight", self.whole("expert_down", layer, down)
        else:
            each = [(role, expert) for expert in range(count) for role in ("gate", "up")]
            yield "mlp.gate_up_proj.weight", self.of_experts(layer, gate_up, each, (size, hidden))
            each = [("down", expert) for expert in range(count)]
            yield "mlp.down_proj.weight", self.of_experts(layer, down, each, (hidden, size))
        if experts.shared:
            yield from self.mlp("mlp.shared", "shared_", layer, experts.shared)
        if experts.shared_gate:
            yield "mlp.shared_gate.weight", self.whole("shared_router", layer, (1, hidden))

    def of_experts(
        self, layer: int, shape: tuple[int, ...], each: Sequence[tuple[str, int]], stored: tuple[int, ...]
    ) -> Recipe:
        names = [self.name(f"expert_{role}", layer, expert=expert) for role, expert in each]
        return Recipe(shape, tuple(Part(name, stored) for name in names))
