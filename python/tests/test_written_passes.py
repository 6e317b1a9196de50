"""Five passes written in Python: they go with the compiler's own passes in any order, and keep what a module means."""

import numpy as np
import pytest
from passes.count import count_calls
from passes.fuse import fuse_dense
from passes.layout import transpose_weights
from passes.rename import rename_functions
from passes.replace import power_to_product

import tilewright as tw
from tilewright import relax
from tilewright.script import ir as I
from tilewright.script import relax as R

transform = relax.transform
Sequential = tw.transform.Sequential


@I.ir_module
class Model:
    @R.function(private=True)
    def shifted(a: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        with R.dataflow():
            out = R.add(a, R.const(0.5, "float32"))
            R.output(out)
        return out

    @R.function
    def main(
        x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 8), "float32"), b: R.Tensor((8,), "float32")
    ) -> R.Tensor(("n", 8), "float32"):
        cls = Model
        with R.dataflow():
            h = R.matmul(x, w)
            y = R.add(h, b)
            z = R.nn.relu(y)
            s = cls.shifted(z)
            t = R.power(s, R.const(2.0, "float32"))
            u = R.subtract(t, R.sum(w))
            R.output(u)
        return u


def expected(x, w, b):
    rectified = np.maximum(x @ w + b, 0)  # A NaN stays one, here and there.
    return (rectified + np.float32(0.5)) ** 2 - w.sum()


def inputs(rng, rows):
    x = rng.normal(size=(rows, 4)).astype("float32")
    w, b = rng.normal(size=(4, 8)).astype("float32"), rng.normal(size=8).astype("float32")
    if rows:
        x[0, 0] = -0.0
    if rows > 2:
        x[2, 1] = np.nan
    return x, w, b


PASSES = {
    "rename": (rename_functions({"main": "forward", "shifted": "moved", "matmul": "product"}), "forward"),
    "fuse": (fuse_dense, "main"),
    "replace": (power_to_product, "main"),
    "count": (count_calls, "main"),
    "layout": (transpose_weights, "main"),
}


def pipelines(own):
    """The pass among the compiler's own, with the pipeline that builds what comes out."""
    yield "alone", own
    yield "before LegalizeOps", Sequential([own, transform.LegalizeOps()])
    yield "after LegalizeOps", Sequential([transform.LegalizeOps(), own])
    yield "between", Sequential([transform.Normalize(), own, transform.DeadCodeElimination(), transform.FoldConstant()])
    yield "twice", Sequential([own, transform.EliminateCommonSubexpr(), own])
    yield "before zero", Sequential([own, relax.get_pipeline("zero")])
    yield "after zero", Sequential([relax.get_pipeline("zero"), own])
    yield "in a sequence of sequences", Sequential([Sequential([own]), Sequential([transform.CanonicalizeBindings()])])


CASES = [(name, where) for name, (own, _) in PASSES.items() for where, _ in pipelines(own)]


def run(module, entry, x, w, b):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    params = list(module[entry].params)
    stored = [int(dim) for dim in params[1].struct_info.shape.values]
    w = np.ascontiguousarray(w.T) if stored == [8, 4] else w
    return machine[entry](*(tw.nd.array(array) for array in (x, w, b))).numpy()


@pytest.mark.parametrize(("name", "where"), CASES)
def test_the_pass_keeps_the_meaning_of_the_module(name, where, rng):
    own, entry = PASSES[name]
    pipeline = dict(pipelines(own))[where]
    before = Model.script()
    with tw.transform.PassContext(instruments=[relax.ir.instrument.WellFormedInstrument()]):
        changed = pipeline(Model)
    assert Model.script() == before
    for rows in (0, 1, 3, 17):
        x, w, b = inputs(rng, rows)
        found = run(changed, entry, x, w, b)
        assert found.shape == (rows, 8)
        np.testing.assert_allclose(found, expected(x, w, b), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", PASSES)
def test_results_of_the_pass_read_back_as_the_same(name):
    changed = PASSES[name][0](Model)
    tw.ir.assert_structural_equal(tw.script.from_source(changed.script(show_meta=True)), changed)


@pytest.mark.parametrize("name", ["rename", "count"])
def test_the_pass_runs_after_the_build_pipeline(name, rng):
    own, entry = PASSES[name]
    pipeline = Sequential([relax.get_pipeline("default_build"), own])
    machine = relax.VirtualMachine(relax.build(Model, "llvm", pipeline=pipeline), tw.cpu())
    x, w, b = inputs(rng, 5)
    found = machine[entry](*(tw.nd.array(array) for array in (x, w, b))).numpy()
    np.testing.assert_allclose(found, expected(x, w, b), rtol=2e-5, atol=1e-5)


def names(module):
    return {var.name_hint for var in module.get_global_vars()}


def test_renamed_functions_are_called_by_their_new_names():
    renamed = PASSES["rename"][0](Model)
    assert names(renamed) == {"forward", "moved"}
    assert {var.name_hint for var in relax.analysis.all_global_vars(renamed["forward"])} == {"moved"}
    assert renamed["forward"].attrs["global_symbol"] == "forward"
    legal = PASSES["rename"][0](transform.LegalizeOps()(Model))
    assert "product" in names(legal) and "cls.product" in legal.script()


def test_the_fused_kernel_stands_for_the_three_operators():
    fused = transform.DeadCodeElimination()(fuse_dense(Model))
    assert "dense_relu" in names(fused)
    text = fused["main"].script()
    assert "call_tir(" in text and "matmul" not in text and "relu(" not in text.replace("dense_relu", "")


def test_fusion_leaves_other_bindings_alone():
    @I.ir_module
    class Others:
        @R.function
        def main(x: R.Tensor((2, 3, 4), "float32"), w: R.Tensor((4, 8), "float32"), b: R.Tensor((8,), "float32")):
            with R.dataflow():
                h = R.matmul(x, w)
                y = R.add(h, b)
                z = R.nn.relu(y)
                R.output(z)
            return z

    tw.ir.assert_structural_equal(fuse_dense(Others), Others)


def test_powers_of_two_become_products():
    changed = power_to_product(Model)
    counts = count_calls(changed).attrs["calls"]
    assert "relax.power" not in counts and counts["relax.multiply"] == 1


def test_the_counts_are_those_of_the_operators():
    assert dict(count_calls(Model).attrs["calls"]) == {
        "relax.add": 2, "relax.matmul": 1, "relax.nn.relu": 1, "relax.power": 1, "relax.subtract": 1, "relax.sum": 1,
    }  # fmt: skip


def test_weights_are_stored_transposed():
    changed = transpose_weights(Model)
    _, w, _ = changed["main"].params
    assert [int(dim) for dim in w.struct_info.shape.values] == [8, 4]
    assert relax.analysis.well_formed(changed)
    # Both uses of the weights turn them round.
    assert count_calls(changed).attrs["calls"]["relax.permute_dims"] == 2
    again = transpose_weights(transform.EliminateCommonSubexpr()(changed))
    assert [int(dim) for dim in again["main"].params[1].struct_info.shape.values] == [8, 4]
