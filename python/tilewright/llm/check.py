"""A model layer by layer against another implementation: `tilewright llm check`.

Both compute the same tokens with the weights of the same folder, in float32. Compared are the embeddings, in each
layer what attention and the MLP add and the hidden states after the layer, the last norm and the logits, in the order
in which they are computed: the first that differs is where to look.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..error import TVMError
from ..relax.frontend import nn
from ..relax.frontend.nn.llm.kv_cache import PagedKVCache
from .loader import Source, open_model
from .model import ARCHITECTURES, Architecture, Decoder, UnsupportedModel
from .model.names import stem_of

__all__ = ["LIMIT", "Compared", "architectures_of", "by_transformers", "check", "outputs"]

#: Differences over the greatest absolute value from which on a tensor differs.
LIMIT = 1e-3
#: Tokens that both compute.
TOKENS = 12

Outputs = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Compared:
    """A tensor of both: the greatest difference over the greatest absolute value, infinite for other shapes."""

    name: str
    difference: float

    @property
    def differs(self) -> bool:
        """Whether it is more than rounding."""
        return not self.difference <= LIMIT


class _Traced(nn.Module):
    """A decoder that gives what its layers compute, too."""

    def __init__(self, source: Source) -> None:
        self.inner = source.module()
        if not isinstance(self.inner, Decoder):
            raise UnsupportedModel(f"{source.architecture.name} is no decoder of which layers are known by name")
        self.names: list[str] = []

    def trace(self, input_embed: nn.Tensor, paged_kv_cache: PagedKVCache) -> Any:
        """The tensors of `names`, and the cache."""
        found: dict[str, nn.Tensor] = {"embed": input_embed}
        model = self.inner.model
        layers = list(model.layers)
        for number, layer in enumerate(layers):
            at = f"layer {number}"
            _record(layer.self_attn, "o_proj", f"{at}: attention", found)
            _record(layer.mlp, "down_proj", f"{at}: MLP", found)
            _record_result(layer, at, found)
        _record_result(model, "norm", found)
        logits, cache = self.inner.batch_verify(input_embed, paged_kv_cache)
        found["logits"] = logits
        self.names = list(found)
        return (*found.values(), cache)


def _record(owner: Any, name: str, said: str, found: dict[str, nn.Tensor]) -> None:
    if isinstance(getattr(owner, name, None), nn.Module):
        _record_result(getattr(owner, name), said, found)


def _record_result(module: Any, said: str, found: dict[str, nn.Tensor]) -> None:
    """Writes down what a module gives."""
    forward = module.forward

    def recorded(*args: Any, **kwargs: Any) -> Any:
        found[said] = forward(*args, **kwargs)
        return found[said]

    module.forward = recorded


def outputs(source: Source, tokens: Sequence[int]) -> Outputs:
    """What this package computes of tokens, by the names of tensors in their order; rows are tokens."""
    import tilewright as tw

    from .. import relax

    traced, plain = _Traced(source), source.module()
    trace = {
        "input_embed": nn.spec.Tensor([1, "seq_len", source.config.hidden_size], "float32"),
        "paged_kv_cache": nn.spec.Object(object_type=PagedKVCache),
        "$": {"param_mode": "packed", "effect_mode": "none"},
    }
    module, params = traced.export_tvm(nn.spec.ModuleSpec.from_raw({"trace": trace}, traced))
    usual, usual_params = plain.export_tvm(plain.get_default_spec())
    machine, other = (relax.VirtualMachine(relax.build(own, target="llvm"), tw.cpu()) for own in (module, usual))
    names = [name.removeprefix("inner.") for name, _ in params]
    values = {name: tw.nd.array(source.read(name)) for name in names}
    weights, ordered = [values[name] for name in names], [values[name] for name, _ in usual_params]
    sizes = [1, max(len(tokens), 16), max(len(tokens), 16), 16, 0]
    cache = other["create_paged_kv_cache"](*(tw.runtime.ShapeTuple([size]) for size in sizes))
    builtin = lambda name: tw.get_global_func(f"vm.builtin.kv_state_{name}")  # noqa: E731
    builtin("add_sequence")(cache, 0)
    builtin("begin_forward")(cache, tw.runtime.ShapeTuple([0]), tw.runtime.ShapeTuple([len(tokens)]))
    embedded = other["embed"](tw.nd.array(np.array(tokens, "int32")), ordered).numpy()
    *found, _ = machine["trace"](tw.nd.array(embedded[None]), cache, weights)
    builtin("end_forward")(cache)
    return {name: own.numpy().reshape(len(tokens), -1) for name, own in zip(traced.names, found, strict=True)}


def by_transformers(path: Path, source: Source, tokens: Sequence[int]) -> Outputs:
    """What `transformers` computes, of those tensors whose modules it has by the names of the checkpoint."""
    try:
        import torch
        from transformers import AutoModelForCausalLM
    except ImportError as error:
        raise TVMError(f"models are compared with transformers: install torch and transformers ({error})") from error
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="eager").eval()
    modules, found = dict(model.named_modules()), {}

    def hook(said: str) -> Callable[..., None]:
        def keep(_: Any, __: Any, result: Any) -> None:
            first = result[0] if isinstance(result, tuple) else result
            found[said] = first.detach().numpy().reshape(len(tokens), -1)

        return keep

    for said, name in _module_names(source).items():
        own = [module for module in modules if module == name or module.endswith(f".{name}")]
        if len(own) == 1:
            modules[own[0]].register_forward_hook(hook(said))
    with torch.no_grad():
        logits = model(torch.tensor([list(tokens)])).logits
    return found | {"logits": logits[0].float().numpy()}


def _module_names(source: Source) -> dict[str, str]:
    """Modules of Hugging Face by our names of their results."""
    naming = source.architecture.hf(source.config)
    names = {"norm": stem_of(naming, "norm", 0)}
    if not getattr(source.config, "embedding_scale", None) or source.config.embedding_scale == 1:
        names["embed"] = stem_of(naming, "embed", 0)
    for layer in range(source.config.num_hidden_layers):
        attention = stem_of(naming, "o", layer)
        names[f"layer {layer}: attention"] = attention
        names[f"layer {layer}: MLP"] = stem_of(naming, "down", layer)
        whole = re.match(rf"(.*?\b{layer})\.", attention)
        if whole is not None:
            names[f"layer {layer}"] = whole[1]
    return names


def architectures_of(file: Path) -> list[Architecture]:
    """The architectures that a file of Python defines. The file is run."""
    if not file.is_file():
        raise TVMError(f"{file}: there is no such file")
    try:
        names = runpy.run_path(str(file))
    except Exception as error:
        raise TVMError(f"{file}: {type(error).__name__}: {error}") from error
    found = [value for value in names.values() if isinstance(value, Architecture)]
    if not found:
        raise TVMError(f"{file}: expected an `Architecture`, found none")
    return found


def compare(ours: Outputs, theirs: Outputs) -> list[Compared]:
    """The tensors that both have, in the order of ours."""
    found = []
    for name, own in ours.items():
        if name not in theirs:
            continue
        other = theirs[name]
        scale = float(np.abs(other).max()) if other.size else 0.0
        same = own.shape == other.shape
        difference = float(np.abs(own.astype(np.float64) - other).max()) / max(scale, 1e-30) if same else np.inf
        found.append(Compared(name, difference))
    return found


def check(
    path: Path,
    tokens: Sequence[int] | None = None,
    reference: Callable[[Path, Source, Sequence[int]], Outputs] = by_transformers,
    progress: Callable[[str], None] = lambda message: None,
    architectures: Sequence[Architecture] = ARCHITECTURES,
) -> list[Compared]:
    """Compares the model of a folder, which is one of `architectures`, with a reference, by default `transformers`."""
    source = open_model(path, None, architectures)
    size = int(source.config.vocab_size)
    tokens = [(number * 7919 + 3) % size for number in range(TOKENS)] if tokens is None else tokens
    progress("computing by the reference")
    theirs = reference(path, source, tokens)
    progress("compiling and computing")
    ours = outputs(source, tokens)
    progress("")
    return compare(ours, theirs)
