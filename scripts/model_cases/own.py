"""Models that need PyTorch alone: a UNet, a block of a Conformer, a tagger, a vocoder, a recommender."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from . import Case


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers; the same ones for the same shape."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def ids(most: int, *shape: int, seed: int = 0) -> Tensor:
    """Integers from zero to below `most`."""
    return torch.randint(0, most, shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


class Stage(nn.Sequential):
    """Two convolutions with group norms."""

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__(
            *(nn.Conv2d(inner, outer, 3, padding=1), nn.GroupNorm(4, outer), nn.SiLU()),
            *(nn.Conv2d(outer, outer, 3, padding=1), nn.GroupNorm(4, outer), nn.SiLU()),
        )


class UNet(nn.Module):
    """Segmentation: stages that halve the image, and stages that join what they have seen on the way back."""

    def __init__(self, widths: tuple[int, ...] = (8, 16, 32)) -> None:
        super().__init__()
        self.down = nn.ModuleList(map(Stage, (3, *widths[:-1]), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in itertools.pairwise(widths))
        self.join = nn.ModuleList(Stage(2 * a, a) for a in widths[:-1])
        self.head = nn.Conv2d(widths[0], 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        seen = []
        for at, stage in enumerate(self.down):
            x = stage(F.max_pool2d(x, 2) if at else x)
            seen.append(x)
        for at in reversed(range(len(self.up))):
            x = self.join[at](torch.cat([seen[at], self.up[at](x)], 1))
        return self.head(x)


class RelativeAttention(nn.Module):
    """Attention with encodings of relative positions, as Transformer-XL has it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.position = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.zeros(heads, width // heads))
        self.position_bias = nn.Parameter(torch.zeros(heads, width // heads))

    def forward(self, x: Tensor) -> Tensor:
        _, length, width = x.shape
        size = width // self.heads

        def split(tensor: Tensor) -> Tensor:
            return tensor.unflatten(-1, (self.heads, size))

        distances = torch.arange(length - 1, -length, -1, device=x.device, dtype=x.dtype)
        rates = torch.exp(torch.arange(0, width, 2, device=x.device, dtype=x.dtype) * (-9.2 / width))
        angles = distances[:, None] * rates
        positions = split(self.position(torch.cat([angles.sin(), angles.cos()], -1)))
        query = split(self.query(x))
        content = torch.einsum("bihd,bjhd->bhij", query + self.content_bias, split(self.key(x)))
        shifted = torch.einsum("bihd,phd->bhip", query + self.position_bias, positions)
        # Row i needs the distances i - j: the table is padded by a column and read with rows one shorter.
        shifted = F.pad(shifted, (1, 0)).flatten(2)[..., length:]
        shifted = shifted.unflatten(2, (length, 2 * length - 1))[..., :length]
        weights = torch.softmax((content + shifted) / size**0.5, -1)
        return self.out(torch.einsum("bhij,bjhd->bihd", weights, split(self.value(x))).flatten(2))


class ConvolutionModule(nn.Module):
    """The Conformer's convolutions: pointwise with a gate, depthwise, pointwise."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.gated = nn.Conv1d(width, 2 * width, 1)
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.BatchNorm1d(width)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.glu(self.gated(x.transpose(1, 2)), 1)
        return self.out(F.silu(self.norm(self.depthwise(x)))).transpose(1, 2)


def feed_forward(width: int) -> nn.Sequential:
    """A norm and two layers."""
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))


class Conformer(nn.Module):
    """A block of a speech encoder (Gulati et al., 2020)."""

    def __init__(self, width: int = 32, heads: int = 4, kernel: int = 7) -> None:
        super().__init__()
        self.first, self.second = feed_forward(width), feed_forward(width)
        self.attention_norm, self.attention = nn.LayerNorm(width), RelativeAttention(width, heads)
        self.convolution_norm, self.convolution = nn.LayerNorm(width), ConvolutionModule(width, kernel)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + 0.5 * self.first(x)
        x = x + self.attention(self.attention_norm(x))
        x = x + self.convolution(self.convolution_norm(x))
        return self.norm(x + 0.5 * self.second(x))


class Tagger(nn.Module):
    """Words to scores of tags, by an LSTM of two layers that reads in both directions."""

    def __init__(self, words: int = 50, width: int = 16, tags: int = 7) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, tags)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        states, (last, _) = self.lstm(self.embedding(words))
        return F.log_softmax(self.head(states), -1), last


class Dilated(nn.Module):
    """Residual convolutions of growing dilation."""

    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.wide = nn.ModuleList(
            nn.Conv1d(channels, channels, kernel, dilation=d, padding=(kernel - 1) // 2 * d) for d in (1, 3)
        )
        self.near = nn.ModuleList(nn.Conv1d(channels, channels, kernel, padding=kernel // 2) for _ in (1, 3))

    def forward(self, x: Tensor) -> Tensor:
        for wide, near in zip(self.wide, self.near, strict=True):
            x = x + near(F.leaky_relu(wide(F.leaky_relu(x, 0.1)), 0.1))
        return x


class Vocoder(nn.Module):
    """Spectra to sound: transposed convolutions, each with residual blocks of several widths (HiFi-GAN's generator)."""

    def __init__(self, bands: int = 20, channels: int = 32, rates: tuple[int, ...] = (4, 2)) -> None:
        super().__init__()
        self.first = nn.Conv1d(bands, channels, 7, padding=3)
        self.up, self.blocks = nn.ModuleList(), nn.ModuleList()
        for rate in rates:
            self.up.append(nn.ConvTranspose1d(channels, channels // 2, 2 * rate, rate, padding=rate // 2))
            channels //= 2
            self.blocks.append(nn.ModuleList(Dilated(channels, kernel) for kernel in (3, 5)))
        self.last = nn.Conv1d(channels, 1, 7, padding=3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for up, blocks in zip(self.up, self.blocks, strict=True):
            x = up(F.leaky_relu(x, 0.1))
            x = sum(block(x) for block in blocks) / len(blocks)
        return torch.tanh(self.last(F.leaky_relu(x)))


class Dlrm(nn.Module):
    """A recommender: sums of embeddings and a dense part, whose products in pairs go through layers."""

    def __init__(self, tables: tuple[int, ...] = (40, 30, 20), width: int = 8, dense: int = 6) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(size, width, mode="sum") for size in tables)
        self.bottom = nn.Sequential(nn.Linear(dense, 16), nn.ReLU(), nn.Linear(16, width), nn.ReLU())
        count = len(tables) + 1
        self.top = nn.Sequential(nn.Linear(width + count * (count - 1) // 2, 16), nn.ReLU(), nn.Linear(16, 1))
        self.register_buffer("rows", torch.tril_indices(count, count, -1)[0], persistent=False)
        self.register_buffer("columns", torch.tril_indices(count, count, -1)[1], persistent=False)

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        bottom = self.bottom(dense)
        bags = [table(sparse[:, at]) for at, table in enumerate(self.tables)]
        features = torch.stack([bottom, *bags], 1)
        pairs = (features @ features.transpose(1, 2))[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([bottom, pairs], 1)))


CASES = [
    Case("unet", UNet, lambda n, _: (drawn(n, 3, 32, 32),), ({0: "batch"},)),
    Case(
        "conformer",
        Conformer,
        lambda n, length: (drawn(n, length, 32),),
        ({0: "batch", 1: "length"},),
        idle=("attention.key.bias",),
    ),
    Case("lstm_tagger", Tagger, lambda n, length: (ids(50, n, length),), ({0: "batch"},), ((3, 6), (1, 6))),
    Case("vocoder", Vocoder, lambda n, length: (drawn(n, 20, length),), ({0: "batch", 2: "length"},), ((3, 9), (1, 7))),
    Case("dlrm", Dlrm, lambda n, _: (drawn(n, 6), ids(20, n, 3, 4)), ({0: "batch"}, {0: "batch"})),
]
