"""One step of an LSTM."""

from __future__ import annotations

import torch
from torch import nn


class Step(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.input, self.hidden = nn.Linear(width, 4 * hidden), nn.Linear(hidden, 4 * hidden)

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        i, f, g, o = (self.input(x) + self.hidden(h)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
