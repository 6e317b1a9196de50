"""The computations of the rows that are no models, as modules of PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class Gelu(nn.Module):
    """The exact form, with the error function."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(x)


class Product(nn.Module):
    """Of two inputs."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


def linear(k: int, n: int, bias: bool = False, gelu: bool = False) -> nn.Module:
    """The product with a constant, with an optional epilogue: a bias and an activation."""
    layer = nn.Linear(k, n, bias=bias)
    return nn.Sequential(layer, Gelu()) if gelu else layer


class Softmax(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1)


def layer_norm(width: int) -> nn.Module:
    return nn.LayerNorm(width)


class Add(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b


class Concat(nn.Module):
    """Rows of both, side by side."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b], 1)


class Transpose(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.transpose(-1, -2).contiguous()


class MLP(nn.Module):
    """The network of the documents."""

    def __init__(self, width: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(x)))
