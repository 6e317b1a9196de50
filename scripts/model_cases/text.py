"""Language models of transformers, and those of language beside images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers as hf
from torch import Tensor, nn
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

from . import Case
from .own import drawn, ids

WORDS = 60
#: Sizes of the decoders: layers, heads, heads of keys and values, size of a head.
LAYERS, HEADS, KEY_HEADS, SIZE = 2, 4, 2, 8
WIDTH = HEADS * SIZE
#: How many words a call of a decoder adds to those of its cache.
ADDED = 2


class Encoder(nn.Module):
    """Hidden states, and the pooled one where there is one, of words with a mask."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, words: Tensor, mask: Tensor) -> list[Tensor]:
        found = self.network(input_ids=words, attention_mask=mask)
        return [one for one in (found[0], found.get("pooler_output")) if one is not None]


class Decoder(nn.Module):
    """Scores of words and the new cache, of words and the keys and values before them."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, words: Tensor, *past: Tensor) -> tuple[Tensor, list[Tensor]]:
        cache = DynamicCache(zip(past[::2], past[1::2], strict=True))
        found = self.network(input_ids=words, cache=cache, use_cache=True)
        return found.logits, cached(cache)


class CrossDecoder(nn.Module):
    """A decoder that also attends to an encoder's states, with the keys and values of its own words before."""

    def __init__(self, network: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.network, self.head = network, head

    def forward(self, words: Tensor, states: Tensor, *past: Tensor) -> tuple[Tensor, list[Tensor]]:
        cache = EncoderDecoderCache(DynamicCache(zip(past[::2], past[1::2], strict=True)), DynamicCache())
        found = self.network(input_ids=words, encoder_hidden_states=states, cache=cache, use_cache=True)
        return self.head(found[0]), cached(cache.self_attention_cache) + cached(cache.cross_attention_cache)


class CrossStep(nn.Module):
    """The next step of such a decoder, for which the encoder's keys and values are in the cache as well."""

    def __init__(self, network: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.network, self.head = network, head

    def forward(self, words: Tensor, states: Tensor, *past: Tensor) -> tuple[Tensor, list[Tensor]]:
        pairs = list(zip(past[::2], past[1::2], strict=True))
        own, cross = (DynamicCache(iter(some)) for some in (pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]))
        cache = EncoderDecoderCache(own, cross)
        found = self.network(input_ids=words, encoder_hidden_states=states, cache=cache, use_cache=True)
        return self.head(found[0]), cached(own)


def cached(cache: DynamicCache) -> list[Tensor]:
    """The keys and values of each layer."""
    return [one for layer in cache.layers for one in (layer.keys, layer.values)]


class Clip(nn.Module):
    """The similarities of images and texts, and the embeddings of both."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, words: Tensor, images: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        found = self.network(input_ids=words, pixel_values=images, attention_mask=mask)
        return found.logits_per_image, found.text_embeds, found.image_embeds


def configured(kind: str, **sizes: Any) -> Any:
    """The configuration of a model with a vocabulary of a few words."""
    return getattr(hf, f"{kind}Config")(
        **{"vocab_size": WORDS, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, **sizes}
    )


def mask(count: int, length: int) -> Tensor:
    """Ones, and zeros behind the last words of the first text."""
    found = torch.ones(count, length, dtype=torch.int64)
    found[0, length - 2 :] = 0
    return found


BATCH_AND_LENGTH = {0: "batch", 1: "length"}


def encoder(name: str, kind: str, **sizes: Any) -> Case:
    """An encoder of words with a mask."""

    def build() -> nn.Module:
        return Encoder(getattr(hf, f"{kind}Model")(configured(kind, **sizes)))

    idle = ("key.bias", "k_lin.bias", "word_embeddings")
    return Case(
        name, build, lambda n, length: (ids(WORDS, n, length), mask(n, length)), (BATCH_AND_LENGTH,) * 2, idle=idle
    )


def past(count: int, length: int, heads: int, layers: int = LAYERS) -> tuple[Tensor, ...]:
    """Keys and values of each layer."""
    return tuple(drawn(count, heads, length, SIZE, seed=seed) for seed in range(2 * layers))


def decoder(name: str, kind: str, model: str, heads: int, **sizes: Any) -> Case:
    """A decoder with a cache, which is given and comes back longer."""

    def build() -> nn.Module:
        return Decoder(getattr(hf, model)(configured(kind, **sizes)))

    def inputs(count: int, length: int) -> tuple[Tensor, ...]:
        return ids(WORDS, count, ADDED), *past(count, length, heads)

    symbolic = ({0: "batch"}, *({0: "batch", 2: "past"},) * (2 * LAYERS))
    return Case(name, build, inputs, symbolic, idle=("embed_tokens", "wte", "k_proj.bias"))


def rotary(name: str, kind: str, **more: Any) -> Case:
    """A decoder of Llama's family."""
    sizes: dict[str, Any] = {
        "hidden_size": WIDTH,
        "intermediate_size": 3 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "max_position_embeddings": 64,
    }
    return decoder(name, kind, f"{kind}ForCausalLM", KEY_HEADS, **{**sizes, **more})


def cross_inputs(count: int, length: int) -> tuple[Tensor, ...]:
    """Words, the encoder's states and the cache."""
    return ids(WORDS, count, ADDED), drawn(count, 5, WIDTH), *past(count, length, HEADS)


def step_inputs(count: int, length: int) -> tuple[Tensor, ...]:
    """The same with the encoder's keys and values."""
    return *cross_inputs(count, length), *past(count, 5, HEADS)


CROSS_SIZES: tuple[dict[int, str], ...] = ({0: "batch"}, {0: "batch"}, *({0: "batch", 2: "past"},) * (2 * LAYERS))
#: Weights of keys and values that are in the cache already.
CROSS_KEYS = ("EncDecAttention.k", "EncDecAttention.v", "encoder_attn.k_proj", "encoder_attn.v_proj")
STEP_SIZES = (*CROSS_SIZES, *({0: "batch"},) * (2 * LAYERS))


def t5() -> Any:
    """T5's network."""
    config = configured(
        "T5",
        d_model=WIDTH,
        d_kv=SIZE,
        d_ff=2 * WIDTH,
        num_layers=LAYERS,
        num_decoder_layers=LAYERS,
        num_heads=HEADS,
        decoder_start_token_id=0,
    )
    return hf.T5ForConditionalGeneration(config)


def clip() -> nn.Module:
    """CLIP with a text and an image half."""
    text = {
        "vocab_size": WORDS,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": 16,
        "eos_token_id": WORDS - 1,
        "bos_token_id": 1,
        "pad_token_id": 0,
    }
    vision = {**text, "image_size": 32, "patch_size": 8}
    for name in ("vocab_size", "max_position_embeddings", "eos_token_id", "bos_token_id", "pad_token_id"):
        del vision[name]
    return Clip(hf.CLIPModel(hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=12)))


def clip_inputs(count: int, length: int) -> tuple[Tensor, ...]:
    """Texts that end where CLIP looks for their ends, images and a mask."""
    words = ids(WORDS - 1, count, length)
    words[:, length - 2] = WORDS - 1
    return words, drawn(count, 3, 32, 32), mask(count, length)


SMALL = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 64}
BUILD_T5_ENCODER: Callable[[], nn.Module] = lambda: Encoder(t5().encoder)  # noqa: E731

CASES = [
    encoder("bert", "Bert", **SMALL, max_position_embeddings=32),
    encoder("distilbert", "DistilBert", dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, hidden_dim=64),
    Case(
        "t5_encoder",
        BUILD_T5_ENCODER,
        lambda n, length: (ids(WORDS, n, length), mask(n, length)),
        (BATCH_AND_LENGTH,) * 2,
    ),
    Case("t5_decoder", lambda: (lambda one: CrossDecoder(one.decoder, one.lm_head))(t5()), cross_inputs, CROSS_SIZES),
    Case(
        "t5_decoder_step",
        lambda: (lambda one: CrossStep(one.decoder, one.lm_head))(t5()),
        step_inputs,
        STEP_SIZES,
        idle=CROSS_KEYS,
    ),
    decoder("gpt2", "GPT2", "GPT2LMHeadModel", HEADS, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=32),
    rotary("llama", "Llama"),
    rotary("qwen2", "Qwen2"),
    rotary("gemma", "Gemma", head_dim=SIZE),
    rotary("mixtral", "Mixtral", num_local_experts=4, num_experts_per_tok=2),
    # The exporters of ONNX do not take products of groups of rows, which is how experts are computed by default.
    rotary(
        "mixtral_batched", "Mixtral", num_local_experts=4, num_experts_per_tok=2, experts_implementation="batched_mm"
    ),
    Case(
        "clip",
        clip,
        clip_inputs,
        (BATCH_AND_LENGTH, {0: "images"}, BATCH_AND_LENGTH),
        idle=("k_proj.bias",),
    ),
]
