"""Weights at which every layer matters, intermediate values as outputs, and how far two results are apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

#: A part of the scale of each tensor of a result.
TOLERANCE = 1e-4
#: How many intermediate values a model gives.
INTERMEDIATES = 3
NORMS = (nn.modules.batchnorm._BatchNorm, nn.LayerNorm, nn.GroupNorm)


def draw_again(model: nn.Module, inputs: Sequence[Tensor], factors: Mapping[str, float]) -> nn.Module:
    """Draws all weights anew, so that products keep the scale of what they multiply and no norm or residual branch is
    the identity; statistics of batch norms are those of a run, moved a little."""
    generator = torch.Generator().manual_seed(0)
    done: set[int] = set()
    with torch.no_grad():
        for module in model.modules():
            for name, weight in module.named_parameters(recurse=False):
                if id(weight) not in done:
                    done.add(id(weight))
                    draw_weight(module, name, weight, generator)
        for name, weight in model.named_parameters():
            for part, factor in factors.items():
                weight.mul_(factor if part in name else 1.0)
        norms = [one for one in model.modules() if isinstance(one, nn.modules.batchnorm._BatchNorm)]
        hooks = [norm.register_forward_pre_hook(take_statistics) for norm in norms]
        if norms:
            model(*inputs)
        for hook in hooks:
            hook.remove()
        for norm in norms:
            mean, variance = norm.running_mean, norm.running_var
            variance.mul_(0.7 + 0.7 * torch.rand(variance.shape, generator=generator))
            mean.add_(0.2 * variance.sqrt() * torch.randn(mean.shape, generator=generator))
    return model


def take_statistics(norm: nn.Module, inputs: tuple[Tensor]) -> None:
    """Gives a batch norm the statistics of its input. A channel with little variance, as a single value has none, is
    not raised to the scale of the others: that would raise rounding errors."""
    values = inputs[0].transpose(0, 1).flatten(1)
    norm.running_mean.copy_(values.mean(1))
    variance = values.var(1, unbiased=False)
    norm.running_var.copy_(variance.clamp(min=max(1e-2, 0.3 * float(variance.mean()))))


def draw_weight(module: nn.Module, name: str, weight: Tensor, generator: torch.Generator) -> None:
    """Draws one weight anew."""
    normal = torch.randn(weight.shape, generator=generator)
    if "bias" in name:
        weight.copy_(0.5 * normal)
    elif weight.ndim < 2 or isinstance(module, NORMS):
        weight.copy_(0.5 + torch.rand(weight.shape, generator=generator))
    elif isinstance(module, nn.Embedding | nn.EmbeddingBag) or weight.shape[0] == 1:
        weight.copy_(0.5 * normal)
    else:
        weight.copy_(1.3 * normal / fan_in(module, weight) ** 0.5)


def fan_in(module: nn.Module, weight: Tensor) -> float:
    """How many products a sum has."""
    if isinstance(module, nn.modules.conv._ConvTransposeNd):
        return weight.numel() / weight.shape[1] / np.prod(module.stride)
    if isinstance(module, nn.modules.conv._ConvNd):
        return weight.numel() / weight.shape[0]
    return weight.shape[-1]


class Plain(nn.Module):
    """A model that gives its tensors as one tuple."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensors(self.model(*inputs)))


class Observed(Plain):
    """A model that also gives results of some of its modules, after its own."""

    def __init__(self, model: nn.Module, inputs: Sequence[Tensor]) -> None:
        super().__init__(model)
        self.names = intermediates(model, inputs)
        # No attribute of the module: exporters refuse those that change.
        kept: list[Tensor] = []

        def keep(_module: nn.Module, _inputs: Any, output: Any) -> None:
            kept.append(floats(output)[0].clone())

        modules = dict(model.named_modules())
        for name in self.names:
            modules[name].register_forward_hook(keep)
        self.kept = lambda: kept

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        kept = self.kept()
        kept.clear()
        results = super().forward(*inputs)
        return (*results, *kept)


def intermediates(model: nn.Module, inputs: Sequence[Tensor]) -> list[str]:
    """The names of modules whose results are at equal distances in a run."""
    order: list[str] = []

    def note(name: str) -> Any:
        return lambda _module, _inputs, output: order.append(name) if floats(output) else None

    hooks = [module.register_forward_hook(note(name)) for name, module in model.named_modules() if name]
    with torch.no_grad():
        model(*inputs)
    for hook in hooks:
        hook.remove()
    once = [name for name in order if order.count(name) == 1]
    places = {len(once) * (at + 1) // (INTERMEDIATES + 1) for at in range(INTERMEDIATES)}
    return [once[place] for place in sorted(places) if place < len(once)]


def tensors(value: Any) -> list[Tensor]:
    """The tensors of a result, in order."""
    return [one for one in tree_leaves(value) if isinstance(one, Tensor)]


def floats(value: Any) -> list[Tensor]:
    """The tensors of floats of a result."""
    return [one for one in tensors(value) if one.is_floating_point()]


def distance(found: Any, wanted: Tensor) -> float:
    """The largest difference as a part of the scale; infinite where shapes, types or what is not finite differ."""
    one, expected = np.asarray(found), wanted.detach().numpy()
    if one.shape != expected.shape or one.dtype != expected.dtype:
        return float("inf")
    if expected.size == 0:
        return 0.0
    if expected.dtype.kind != "f":
        return 0.0 if np.array_equal(one, expected) else float("inf")
    finite = np.isfinite(expected)
    if not np.array_equal(np.isfinite(one), finite) or not np.array_equal(
        one[~finite], expected[~finite], equal_nan=True
    ):
        return float("inf")
    wide = expected[finite].astype("float64")
    difference = np.abs(one[finite].astype("float64") - wide)
    return float(difference.max(initial=0.0) / max(np.abs(wide).max(initial=0.0), 1e-30))


def distances(found: Sequence[Any], wanted: Sequence[Tensor], kept: int) -> tuple[float, float]:
    """The largest distance of the results, and of the intermediate values behind them."""
    if len(found) != len(wanted):
        return float("inf"), float("inf")
    each = [distance(one, expected) for one, expected in zip(found, wanted, strict=True)]
    own = len(each) - kept
    return max(each[:own], default=0.0), max(each[own:], default=0.0)


def planted(weight: Tensor) -> Tensor:
    """The weight with an error of 1 % in each element, of random signs: a norm would cancel one of the same sign."""
    signs = torch.randint(0, 2, weight.shape, generator=torch.Generator().manual_seed(1)) * 2 - 1
    return weight * (1 + 0.01 * signs)


def weights(model: nn.Module, idle: Sequence[str], most: int) -> Iterator[tuple[str, Tensor]]:
    """At most so many weights from all of the model, without those on which nothing depends."""
    own = [(name, weight) for name, weight in model.named_parameters() if not any(part in name for part in idle)]
    count = min(most, len(own))
    yield from (own[at * len(own) // count] for at in range(count))


def sight(model: nn.Module, inputs: Sequence[Tensor], idle: Sequence[str], most: int = 12) -> dict[str, float]:
    """By weight: how far an error of 1 % in it moves what is compared."""
    found = {}
    with torch.no_grad():
        wanted = model(*inputs)
        for name, weight in weights(model, idle, most):
            own = weight.clone()
            weight.copy_(planted(own))
            moved = [one.numpy() for one in model(*inputs)]
            weight.copy_(own)
            found[name] = max(distances(moved, wanted, 0))
    return found
