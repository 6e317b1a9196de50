"""One step of an LSTM."""

from __future__ import annotations

from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op


class Step(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        self.input, self.hidden = nn.Linear(width, 4 * hidden), nn.Linear(hidden, 4 * hidden)

    def main(self, x0: Tensor, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Of the input, the hidden state and the cell."""
        i, f, g, o = op.split(self.input(x0) + self.hidden(x1), 4, axis=-1)
        c = op.sigmoid(f) * x2 + op.sigmoid(i) * op.tanh(g)
        return op.sigmoid(o) * op.tanh(c), c
