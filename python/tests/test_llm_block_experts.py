"""Experts whose weights are blocks of integers, compared with NumPy on the dequantised weights."""

import numpy as np
import pytest

import tilewright
from tilewright import relax
from tilewright.llm.model.experts import ExpertLinear, Placement
from tilewright.llm.quantization.layers import BlockExperts
from tilewright.llm.quantization.quantize import MODES, quantize
from tilewright.relax.frontend import nn

COUNT, USED, INPUTS = 5, 2, 64
rng = np.random.default_rng(0)


class Chosen(nn.Module):
    """The sum of the products with the experts that each token chose, by their weights."""

    def __init__(self, experts):
        self.experts = experts

    def forward(self, x: nn.Tensor, chosen: nn.Tensor, weights: nn.Tensor):
        placed = Placement.of(chosen, COUNT)
        return placed.summed(self.experts(placed.gathered(x), placed.expert), weights)


def functions(experts, tokens):
    """The compiled module, of one token or of any number of them."""
    spec = {
        "x": nn.spec.Tensor([tokens, INPUTS], "float32"),
        "chosen": nn.spec.Tensor([tokens, USED], "int64"),
        "weights": nn.spec.Tensor([tokens, USED], "float32"),
    }
    module, _ = Chosen(experts).export_tvm({"forward": spec})
    return relax.VirtualMachine(relax.build(module, "llvm"), tilewright.cpu())["forward"]


def check(function, tokens, given, dense, tolerance):
    """Compares the sums with NumPy's; some experts have many tokens and others none."""
    x = rng.standard_normal((tokens, INPUTS)).astype(np.float32)
    chosen = np.argsort(rng.random((tokens, COUNT - 1)), 1)[:, :USED]
    weights = rng.standard_normal((tokens, USED)).astype(np.float32)
    inputs = [tilewright.nd.array(value) for value in (x, chosen.astype(np.int64), weights, *given)]
    found = function(*inputs).numpy()
    products = np.einsum("tunk,tk->tun", dense[chosen].astype(np.float64), x.astype(np.float64))
    wanted = np.einsum("tun,tu->tn", products, weights.astype(np.float64))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max(initial=1e-9))


@pytest.mark.parametrize("activations", ["int8", "exact"])
@pytest.mark.parametrize("mode", MODES)
def test_blocks(mode, activations):
    form, outputs = MODES[mode][0], 48
    blocks = quantize(rng.standard_normal((COUNT * outputs, INPUTS)).astype(np.float32), mode)
    packed = form.pack(blocks)
    given = [part for part in (packed.words, packed.scale, packed.minimum) if part is not None]
    given = [part.reshape(COUNT, -1, *part.shape[1:]) for part in given]
    dense = blocks.dequantized().reshape(COUNT, outputs, INPUTS)
    experts = BlockExperts(COUNT, INPUTS, outputs, form, activations)
    one, any_number = functions(experts, 1), functions(experts, "tokens")
    # Codes of activations are within half a step of 127 of them.
    tolerance = 1e-5 if activations == "exact" else 0.03
    check(one, 1, given, dense, tolerance)
    for tokens in (0, 1, 7, 40):
        check(any_number, tokens, given, dense, tolerance)


def test_floats():
    dense = rng.standard_normal((COUNT, 11, INPUTS)).astype(np.float32)
    experts = ExpertLinear(COUNT, INPUTS, 11)
    one, any_number = functions(experts, 1), functions(experts, "tokens")
    check(one, 1, [dense], dense, 1e-5)
    for tokens in (0, 1, 7, 40):
        check(any_number, tokens, [dense], dense, 1e-5)
