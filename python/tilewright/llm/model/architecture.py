"""An architecture: its names in checkpoints of each kind, and what its settings mean."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...relax.frontend import nn
from .config import DecoderConfig
from .decoder import Decoder
from .names import Naming, Recipe, recipes
from .settings import MAX_LAYERS, MAX_SIZE, Settings

__all__ = ["Architecture", "sizes_of", "windows_of"]


@dataclass(frozen=True)
class Architecture:
    """A family of models.

    `model_types` are those of `config.json`, `gguf` the values of `general.architecture`. `config` makes a
    `DecoderConfig` of settings; `hf` and `gguf_names` give the names of tensors for one. `aliases` are this
    architecture's own names of settings, by the usual ones.
    """

    name: str
    title: str
    model_types: tuple[str, ...]
    config: Callable[[Settings, dict[str, Any]], DecoderConfig]
    hf: Callable[[DecoderConfig], Naming]
    gguf: tuple[str, ...] = ()
    gguf_names: Callable[[DecoderConfig], Naming] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Settings that files leave out.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the head is the embedding where no setting says so.
    tied: bool = False
    #: The module of a configuration, and the recipes of its parameters: those of decoders, where it is one.
    module: Callable[[Any], nn.Module] = Decoder
    recipes: Callable[[Any, Naming, str, Container[str]], Iterator[tuple[str, Recipe]]] = recipes
    #: What is refused of it, and other remarks for the documentation.
    remarks: str = ""
    #: The names in folders of MLC LLM, where those are read.
    mlc: Callable[[DecoderConfig], Naming] | None = None

    def from_dict(
        self, values: Mapping[str, Any], file: str = "config.json", context_window_size: int | None = None
    ) -> DecoderConfig:
        """The configuration of a model's settings, for contexts of a size, by default the model's longest."""
        settings = Settings({**self.defaults, **values} if isinstance(values, Mapping) else values, file, self.aliases)
        sizes = sizes_of(settings, self.name, context_window_size)
        sizes["tied"] = settings.flag("tie_word_embeddings", self.tied)
        made = self.config(settings, sizes)
        return replace(made, settings=dict(values)).prepared()


def sizes_of(settings: Settings, architecture: str, context_window_size: int | None = None) -> dict[str, Any]:
    """What all architectures have, as arguments of `DecoderConfig`."""
    hidden = settings.integer("hidden_size")
    heads = settings.integer("num_attention_heads", most=1 << 16)
    if settings.raw("head_dim") is None and hidden % heads:
        raise settings.wrong("num_attention_heads", f"a divisor of the hidden size {hidden}")
    size = settings.integer("head_dim", hidden // heads, most=1 << 16)
    if heads * size > MAX_SIZE:
        raise settings.wrong("num_attention_heads", f"at most {MAX_SIZE // size} heads of {size} elements")
    inner = settings.integer("intermediate_size", 4 * hidden)
    longest = settings.integer("max_position_embeddings", 2048, most=1 << 30)
    if context_window_size is None:
        context_window_size = settings.integer("context_window_size", longest, most=1 << 30)
    return {
        "architecture": architecture,
        "hidden_size": hidden,
        "num_hidden_layers": settings.integer("num_hidden_layers", most=MAX_LAYERS),
        "num_attention_heads": heads,
        "num_key_value_heads": settings.integer("num_key_value_heads", heads, most=1 << 16),
        "head_dim": size,
        "intermediate_size": inner,
        "vocab_size": settings.integer("vocab_size"),
        "context_window_size": context_window_size,
    }


def windows_of(
    settings: Settings, layers: int, slides: Callable[[int], bool] = lambda layer: True
) -> tuple[int | None, ...]:
    """The tokens that each layer sees: one entry where all layers are alike.

    `layer_types` says which layers have a window; where it is absent, `slides` does.
    """
    if not settings.raw("sliding_window"):
        return (None,)
    window = settings.integer("sliding_window", most=1 << 30)
    types = settings.per_layer("layer_types", layers)
    if types is not None:
        if not set(types) <= {"full_attention", "sliding_attention"}:
            raise settings.wrong("layer_types", "full_attention and sliding_attention")
        found = tuple(window if own == "sliding_attention" else None for own in types)
    else:
        found = tuple(window if slides(layer) else None for layer in range(layers))
    return found[:1] if len(set(found)) == 1 else found
