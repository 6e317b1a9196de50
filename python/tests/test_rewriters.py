"""Rewriting by example."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax
from tilewright.relax import dpl
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@R.function
def before(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
    with R.dataflow():
        z = R.multiply(R.add(x, y), x)
        R.output(z)
    return z


@I.ir_module
class Distributed:
    @R.function
    def pattern(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((4,), "float32")) -> R.Tensor(
        (4,), "float32"
    ):
        return R.multiply(R.add(a, b), c)

    @R.function
    def replacement(
        a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((4,), "float32")
    ) -> R.Tensor((4,), "float32"):
        return R.add(R.multiply(a, c), R.multiply(b, c))


def run(function, *arrays):
    return relax.VirtualMachine(relax.build(tw.IRModule({"main": function}), "llvm"), tw.cpu())["main"](*arrays).numpy()


def test_a_module_says_what_is_rewritten_into_what():
    rewriter = dpl.PatternMatchingRewriter.from_module(Distributed)
    after = rewriter(before)
    names = [binding.value.op.name for block in after.body.blocks for binding in block.bindings]
    assert names == ["relax.multiply", "relax.multiply", "relax.add"]
    arrays = np.arange(4, dtype="float32"), np.array([2, 3, 5, 7], "float32")
    np.testing.assert_array_equal(run(after, *arrays), run(before, *arrays))
    module = rewriter(tw.IRModule({"main": before}))
    tw.ir.assert_structural_equal(module["main"].body, after.body)


def test_a_class_is_read_as_a_rewriter():
    @R.rewriter
    class Doubled:
        @R.function
        def pattern(a: R.Tensor(dtype="float32", ndim=1)):
            return R.add(a, a)

        @R.function
        def replacement(a: R.Tensor(dtype="float32", ndim=1)):
            return R.multiply(a, R.const(2, "float32"))

    @R.function
    def same(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        return R.add(R.add(x, x), y)

    after = Doubled(same)
    assert [b.value.op.name for block in after.body.blocks for b in block.bindings] == ["relax.multiply", "relax.add"]
    tw.ir.assert_structural_equal(Doubled(before), before)


def test_one_or_the_other():
    relu = dpl.PatternMatchingRewriter.from_pattern(
        dpl.is_op("relax.add")(dpl.wildcard(), dpl.wildcard()), lambda call, _: relax.op.subtract(*call.args)
    )
    after = (relu | dpl.PatternMatchingRewriter.from_module(Distributed))(before)
    assert [b.value.op.name for block in after.body.blocks for b in block.bindings] == [
        "relax.subtract",
        "relax.multiply",
    ]


def test_sizes_are_those_of_the_match():
    @I.ir_module
    class Padded:
        @R.function
        def pattern(a: R.Tensor(("n", "n"), "float32")) -> R.Tensor(("n", "n"), "float32"):
            return R.nn.relu(a)

        @R.function
        def replacement(a: R.Tensor(("n", "n"), "float32")) -> R.Tensor(("n", "n"), "float32"):
            n = T.int64()
            return R.call_pure_packed("relu", a, R.shape([n]), sinfo_args=R.Tensor((n, n), "float32"))

    @R.function
    def main(x: R.Tensor((3, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        a = R.nn.relu(x)
        b = R.nn.relu(y)
        return (a, b)

    first, second = (
        binding.value for binding in dpl.PatternMatchingRewriter.from_module(Padded)(main).body.blocks[0].bindings
    )
    assert str(first) == 'R.call_pure_packed("relu", x, R.shape([3]), sinfo_args=(R.Tensor((3, 3), dtype="float32"),))'
    assert second.op.name == "relax.nn.relu"


def test_both_functions_are_needed():
    def of(**functions):
        return dpl.PatternMatchingRewriter.from_module(tw.IRModule(functions))

    with pytest.raises(KeyError, match="replacement"):
        of(pattern=Distributed["pattern"])
    with pytest.raises(ValueError, match="parameters"):
        of(pattern=Distributed["pattern"], replacement=before)
