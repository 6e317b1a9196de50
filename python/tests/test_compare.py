"""`tilewright.compare`: a model here and in PyTorch."""

import copy

import numpy as np
import pytest

import tilewright as tw
from tilewright.driver import compare as module

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(6, 8)
        self.second = torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


@pytest.fixture
def layers():
    torch.manual_seed(1)
    return Layers().eval(), torch.randn(4, 6)


def test_equal_models_agree(layers):
    model, x = layers
    found = tw.compare(model, [x])
    assert found and found.compared == 1 and str(found) == "equal: 1 values agree"
    assert tw.compare(torch.export.export(model, (x,)), [x], every=True).compared == 3


def test_an_error_in_one_weight_is_found_at_its_operator(layers, monkeypatch):
    """The importer is given a model with a wrong weight: what is imported wrongly is found like that."""
    model, x = layers
    import tilewright.relax.frontend.torch as frontend

    right = frontend.from_exported_program

    def wrong(program):
        weights = {name: value.detach().clone() for name, value in program.state_dict.items()}
        weights["second.weight"].view(-1)[3] *= 1.01
        other = copy.copy(program)
        other._state_dict = {name: torch.nn.Parameter(value) for name, value in weights.items()}
        return right(other)

    monkeypatch.setattr(frontend, "from_exported_program", wrong)
    found = tw.compare(model, [x])
    first = found.first
    assert not found and (first.name, first.operator) == ("linear_1", "aten.linear.default")
    assert first.position[1] == 0 and (found.differing, found.compared) == (1, 3)
    with torch.no_grad():
        expected = model(x).numpy()
    assert first.there == expected[first.position] and np.isclose(first.largest, abs(first.here - first.there))
    assert "linear.py" in first.source and first.inputs[0].startswith("relu: float32[4, 8], 0.0 to ")
    assert "first difference: `linear_1`" in str(found)


def test_other_references_are_refused(layers):
    model, x = layers
    with pytest.raises(ValueError, match="expected against='torch', found 'jax'"):
        tw.compare(model, [x], against="jax")


def test_a_saved_program_is_compared_by_the_command_line(layers, tmp_path, capsys):
    model, x = layers
    path = tmp_path / "layers.pt2"
    torch.export.save(torch.export.export(model, (x,)), path)
    assert module._main([str(path), "3", "1e-4", "1e-7", "1"]) == 0
    assert "equal: 3 values agree" in capsys.readouterr().out
    assert module._main([str(path), "3", "0", "0", "0"]) == 1
    assert module._main([str(tmp_path / "none.pt2"), "3", "0", "0", "0"]) == 2
