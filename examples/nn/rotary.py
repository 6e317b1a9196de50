"""A rotary embedding as a tensor expression: pairs of numbers rotated by angles that grow with the position.

python examples/nn/rotary.py
"""

from __future__ import annotations

import math

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op


class RotaryEmbedding(nn.Module):
    """Rotates (batch, sequence, heads, width), whose first row is at position `offset`.

    The number at `d` of the first half and the one at `d` of the second are the pair, and it is rotated by the position
    times `theta ** (-2 d / width)`.
    """

    def __init__(self, width: int, theta: float = 10000.0) -> None:
        self.width, self.theta = width, theta

    def forward(self, x: Tensor, offset: tir.Var) -> Tensor:
        half, step = self.width // 2, -2 * math.log(self.theta) / self.width

        def rotary(x: te.Tensor, offset: tir.PrimExpr) -> te.Tensor:
            def rotated(b: tir.Var, s: tir.Var, h: tir.Var, d: tir.Var) -> tir.PrimExpr:
                angle = (offset + s).astype("float32") * tir.exp((d % half).astype("float32") * step)
                other = tir.if_then_else(d < half, -x[b, s, h, d + half], x[b, s, h, d - half])
                return tir.cos(angle) * x[b, s, h, d] + tir.sin(angle) * other

            return te.compute(x.shape, rotated, name="rotary")

        return op.tensor_expr_op(rotary, "rotary", [x, offset])


def main() -> None:
    width = 8
    spec = {"forward": {"x": nn.spec.Tensor((1, "n", 2, width), "float32"), "offset": int}}
    module, _ = RotaryEmbedding(width).export_tvm(spec)
    module.show()


if __name__ == "__main__":
    main()
