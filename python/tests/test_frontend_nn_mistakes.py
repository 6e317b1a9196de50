"""Mistakes in models of `relax.frontend.nn`: what is said of them, and where."""

import numpy as np
import pytest
from nn_checks import F32, line_of, tensor

import tilewright as tw
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op


def test_mistakes_in_a_method_are_found_in_the_source():
    class Inner(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter((4, 5))  # declared here

        def forward(self, x):
            return op.matmul(x, self.weight)  # wrong here

    class Outer(nn.Module):
        def __init__(self):
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

    with pytest.raises(tw.TVMError) as error:
        Outer().export_tvm({"forward": {"x": tensor("n", 3)}})
    assert line_of(__file__, "# wrong here") in str(error.value)
    assert f"{error.value.file}:{error.value.line}" == line_of(__file__, "# wrong here")
    assert "while `Outer.forward` is exported" in error.value.__notes__
    # The next export begins anew.
    Outer().export_tvm({"forward": {"x": tensor("n", 4)}})

    hidden = Outer()
    hidden.listed, hidden.inner = [hidden.inner], None
    hidden.forward = lambda x: hidden.listed[0](x)
    with pytest.raises(tw.TVMError, match=r"use nn.ModuleList") as error:
        hidden.export_tvm({"forward": {"x": tensor("n", 4)}})
    assert line_of(__file__, "# declared here") in str(error.value) and line_of(__file__, "# wrong here") in str(
        error.value
    )
    with pytest.raises(tw.TVMError, match="the function gets no weights"):
        Outer().export_tvm({"forward": {"x": tensor("n", 4), "$": {"param_mode": "none"}}})


def test_calls_outside_of_an_export_are_errors():
    x = nn.Tensor.placeholder([2, 4], F32)
    for call in (lambda: nn.Linear(4, 3)(x), lambda: x + 1, lambda: op.print_(x), lambda: nn.KVCache(1, [2]).view(3)):
        with pytest.raises(tw.TVMError, match=r"no graph function is being written|debug=True|does not get states"):
            call()  # outside
    with pytest.raises(tw.TVMError) as error:
        nn.Linear(4, 3)(x)  # the module's call
    assert line_of(__file__, "# the module's call") in str(error.value)
    with pytest.raises(tw.TVMError, match="Module has no `forward`"):
        nn.Module()(x)


def test_wrong_specifications_are_errors():
    model = nn.Linear(4, 3)

    def refused(match, spec):
        with pytest.raises(tw.TVMError, match=match) as error:
            model.export_tvm(spec)
        assert __file__ in str(error.value)

    refused("Linear has no method `backward`", {"backward": {}})
    refused("nothing is specified for the argument x of `Linear.forward`", {"forward": {}})
    refused("`Linear.forward` has no argument y: it takes x", {"forward": {"x": tensor(1, 4), "y": int}})
    refused("is specified by a dict of its arguments, found 3", {"forward": 3})
    refused("Linear is specified by a dict of its methods", 3)
    refused("an argument is specified by nn.spec.Tensor", {"forward": {"x": "float32"}})
    refused("param_mode is one of plain, packed, none", {"forward": {"x": tensor(1, 4), "$": {"param_mode": "all"}}})
    refused("and no other", {"forward": {"x": tensor(1, 4), "$": {"other": 1}}})
    refused("a dimension is an integer, a name or an integer expression", {"forward": {"x": tensor(1.5, 4)}})
    model.forward = lambda x: 3
    refused("a method returns tensors", {"forward": {"x": tensor(1, 4)}})
    with pytest.raises(tw.TVMError, match="weights have no values: weight, bias"):
        nn.Linear(4, 3).jit({"forward": {"x": tensor(1, 4)}})
    with pytest.raises(tw.TVMError, match="out_format is one of torch, numpy, tvm"):
        nn.ReLU().jit({"forward": {"x": tensor(1, 4)}}, out_format="list")
    with pytest.raises(tw.TVMError, match="5 channels are not divided into 2 groups"):
        nn.Conv1D(5, 4, 3, groups=2)


def test_specifications_are_values():
    assert nn.spec.Tensor([1, "n"], F32) == nn.spec.Tensor((1, "n"), F32) != nn.spec.Tensor((1, "m"), F32)
    assert nn.spec.Int() == nn.spec.Int() != nn.spec.ConstInt()
    assert len({nn.spec.ConstString(), nn.spec.ConstString(), nn.spec.ConstFloat("float64")}) == 2
    spec = nn.spec.ModuleSpec.from_raw({"forward": {"x": tensor("n", 4)}}, nn.Linear(4, 3))
    assert nn.spec.ModuleSpec.from_raw(spec, None) is spec
    assert "Linear.forward(x=Tensor(['n', 4], 'float32'), param_mode=plain, effect_mode=plain)" in repr(spec)
    method = nn.spec.MethodSpec(nn.Linear(4, 3).forward, ["x"], [tensor("n", 4)], effect_mode="none")
    assert nn.spec.MethodSpec.from_raw(method, None) is method


def test_errors_of_later_steps_are_at_a_line_of_the_model():
    def compiled(function):
        model = nn.Module()
        model.forward = function
        return model.jit({"forward": {"x": tensor("n", "k"), "y": tensor("m", 5)}}, out_format="numpy")["forward"]

    x, y = np.ones((2, 4), F32), np.ones((3, 5), F32)
    with pytest.raises(tw.TVMError) as error:
        compiled(lambda x, y: x @ y)(x, y)  # found when it runs
    assert f"({line_of(__file__, '# found when it runs')})" in str(error.value)
    with pytest.raises(tw.TVMError, match="is not known here") as error:
        compiled(lambda x, y: op.concat([x, y + x], 0))  # found when it is compiled
    assert f"{error.value.file}:{error.value.line}" == line_of(__file__, "# found when it is compiled")


def test_python_does_not_branch_on_values_of_tensors():
    class Branches(nn.Module):
        def forward(self, x):
            return x if op.sum(x) > 0 else -x  # branches here

    with pytest.raises(tw.TVMError, match="what a tensor holds is not known") as error:
        Branches().export_tvm({"forward": {"x": tensor(3)}})
    assert line_of(__file__, "# branches here") in str(error.value)


def test_a_module_in_itself_is_refused():
    outer = nn.ModuleList([nn.Linear(3, 3)])
    outer.append(nn.ModuleList([outer]))
    with pytest.raises(tw.TVMError, match=r"`1\.0` is a module that it is itself in"):
        outer.state_dict()
