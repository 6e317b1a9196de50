"""Code from outside of the compiler: PrimFuncs of other layouts, and functions for the user's code generators."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax
from tilewright.relax.dpl import is_op, wildcard
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@I.ir_module
class Layer:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.exp(b)
            R.output(c)
        return c


@I.ir_module
class Sum:
    @T.prim_func(private=True)
    def add(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        T.func_attr({"operator_name": "relax.add"})
        for i in range(16):
            with T.block("C"):
                v = T.axis.spatial(16, i)
                C[v] = A[v] + B[v]

    @R.function
    def main(x: R.Tensor((16,), "float32"), y: R.Tensor((16,), "float32")):
        cls = Sum
        with R.dataflow():
            a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((16,), "float32"))
            R.output(a)
        return a


@T.prim_func
def add_of_tens(A: T.Buffer((2, 10), "float32"), B: T.Buffer((2, 10), "float32"), C: T.Buffer((2, 10), "float32")):
    for i, j in T.grid(2, 10):
        with T.block("C"):
            v, w = T.axis.remap("SS", [i, j])
            C[v, w] = A[v, w] + B[v, w]


def results(module, *arrays):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    return machine["main"](*[tw.nd.array(array) for array in arrays]).numpy()


def annotated():
    pattern = is_op("relax.nn.relu")(is_op("relax.matmul")(wildcard(), wildcard()))
    return relax.transform.FuseOpsByPattern([("mine.layer", pattern)], annotate_codegen=True)(Layer)


def test_a_replacement_works_on_its_own_layout(rng):
    parts = lambda i: (i // 10, i % 10)  # noqa: E731
    replaced = relax.transform.AlterOpImpl(
        {"relax.add": add_of_tens}, {"relax.add": [parts] * 3}, {"relax.add": [None, [], None]}
    )(Sum)
    assert "cls.relax_add_replacement" in replaced.script()
    x, y = rng.random(16, "float32"), rng.random(16, "float32")
    np.testing.assert_array_equal(results(replaced, x, y), x + y)


def test_a_replacement_without_its_maps_is_an_error():
    with pytest.raises(tw.error.TVMError, match=r"`relax.add` has no maps of indices"):
        relax.transform.AlterOpImpl({"relax.add": add_of_tens}, {})
    with pytest.raises(tw.error.TVMError, match=r"no axis separators, found \[\[1\]\]"):
        relax.transform.AlterOpImpl({"relax.add": add_of_tens}, {"relax.add": []}, {"relax.add": [[1]]})
    with pytest.raises(TypeError, match=r"a replacement is a tir.PrimFunc"):
        relax.transform.AlterOpImpl({"relax.add": 3}, {"relax.add": []})


def test_a_code_generator_of_the_user_makes_functions_that_the_program_calls(rng):
    told = []

    @tw.register_func("relax.ext.mine", override=True)
    def generate(functions, options, constants):
        told.append((len(functions), dict(options), constants))
        for function in functions:

            def layer(x, w, out):
                out.copyfrom(np.maximum(x.numpy() @ w.numpy(), 0))

            tw.register_func(function.attrs["global_symbol"], layer, override=True)

    module = relax.transform.RunCodegen({"mine": {"level": 3}}, ["main"])(annotated())
    assert told == [(1, {"level": 3}, {})]
    assert "R.call_dps_packed(" in module.script() and "Codegen" not in module.script()
    x, w = rng.random((2, 3), "float32") - 0.5, rng.random((3, 4), "float32") - 0.5
    np.testing.assert_allclose(results(module, x, w), np.exp(np.maximum(x @ w, 0)), rtol=1e-5)


def test_an_unknown_code_generator_is_an_error():
    pattern = is_op("relax.nn.relu")(is_op("relax.matmul")(wildcard(), wildcard()))
    module = relax.transform.FuseOpsByPattern([("nobody.layer", pattern)], annotate_codegen=True)(Layer)
    with pytest.raises(tw.error.DiagnosticError, match=r"the code generator `nobody` failed: .*relax.ext.nobody"):
        relax.transform.RunCodegen()(module)


#: Adds `by` to each of `count` numbers.
SHIFT = """
define i32 @shift(ptr %out, ptr %in, i32 %count, float %by) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr float, ptr %in, i32 %i
  %to = getelementptr float, ptr %out, i32 %i
  %x = load float, ptr %from
  %y = fadd float %x, %by
  store float %y, ptr %to
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
"""


def shifted(code, count="T.int32(16)"):
    return tw.script.from_source(f"""
@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), B: T.Buffer((4, 16), "float32")):
    for i in T.serial(4, annotations={{"pragma_import_llvm": {code!r}}}):
        with T.block("shift"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:16])
            T.writes(B[vi, 0:16])
            T.evaluate(
                T.call_extern("int32", "shift", T.address_of(B[vi, 0]), T.address_of(A[vi, 0]), {count}, T.float32(2.5))
            )
""")


def test_a_kernel_brings_code_of_llvm():
    values = np.random.default_rng(0).normal(size=(4, 16)).astype("float32")
    found = tw.nd.empty((4, 16), "float32")
    tw.build(shifted(SHIFT), target="llvm")(tw.nd.array(values), found)
    np.testing.assert_array_equal(found.numpy(), values + np.float32(2.5))


def test_code_of_llvm_is_annotated_by_a_schedule():
    schedule = tw.tir.Schedule(shifted(SHIFT))
    function = schedule.mod["main"]
    assert "pragma_import_llvm" in function.script()
    schedule.unannotate(schedule.get_loops(schedule.get_block("shift"))[0], "pragma_import_llvm")
    schedule.annotate(schedule.get_block("shift"), "pragma_import_llvm", SHIFT)
    values = np.ones((4, 16), "float32")
    found = tw.nd.empty((4, 16), "float32")
    tw.build(schedule.mod, target="llvm")(tw.nd.array(values), found)
    np.testing.assert_array_equal(found.numpy(), values + np.float32(2.5))


@pytest.mark.parametrize(
    ("code", "count", "message"),
    [
        ("int shift(float *out);", "T.int32(16)", "pragma_import_llvm"),
        (SHIFT, "T.int64(16)", "the kernel calls it as"),
    ],
)
def test_code_that_does_not_fit_is_refused(code, count, message):
    with pytest.raises(tw.TVMError, match=message):
        tw.build(shifted(code, count), target="llvm")
