"""A sample of scripts/models.py: its models that need PyTorch alone, and an error that its comparison must see."""

import dataclasses
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from model_cases import own  # noqa: E402
from model_cases.checks import TOLERANCE, distances  # noqa: E402
from model_cases.paths import outcome  # noqa: E402

pytestmark = pytest.mark.torch

#: Models that compile in a second or two.
SMALLER = {
    "unet": lambda: own.UNet((8, 16)),
    "conformer": lambda: own.Conformer(32, 2, 3),
    "lstm_tagger": lambda: own.Tagger(50, 4, 3),
    "vocoder": lambda: own.Vocoder(20, 4, (2,)),
    "dlrm": own.Dlrm,
}
CASES = {case.name: dataclasses.replace(case, build=SMALLER[case.name]) for case in own.CASES}


@pytest.mark.parametrize("name", CASES)
def test_a_model(name, tmp_path):
    found = outcome(CASES[name], "torch.export", tmp_path)
    assert found["outcome"] == "agrees", found["why"]
    assert "batch" in found["sizes"], found["symbolic"]
    assert len(found["intermediates"]) == 3
    unseen = [weight for weight, moved in found["sight"].items() if moved <= TOLERANCE]
    assert not unseen


@pytest.mark.parametrize("name", ["unet", "dlrm"])
def test_an_error_in_a_weight_is_seen(name, tmp_path):
    found = outcome(CASES[name], "torch.export", tmp_path, plant=True)
    assert found["outcome"] == "differs", found["planted"]
    assert TOLERANCE < max(found["worst"]) < 1


def test_other_shapes_types_and_infinities_are_differences():
    wanted = torch.tensor([1.0, -2.0, float("inf")])
    for other in (wanted[:2], wanted.double(), torch.tensor([1.0, -2.0, 3.0]), torch.tensor([1.0, -2.0, -torch.inf])):
        assert max(distances([other.numpy()], [wanted], 0)) == float("inf")
    near = torch.tensor([1.0, -2.0002, float("inf")])
    assert distances([near.numpy(), wanted.numpy()], [wanted, wanted], 1) == (pytest.approx(1e-4, rel=1e-2), 0.0)
