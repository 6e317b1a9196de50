"""Wrong programs and wrong arguments: a clear error each, with its place, never a crash."""

import subprocess
import sys

import numpy as np
import pytest

import tilewright as tw

RELAX = """from tilewright.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        cls = Module
        with R.dataflow():
            {body}
            R.output(out)
        return out
"""
GOOD = 'out = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((2, 3), "float32"))'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("out = R.no_such_op(x)", "no_such_op"),
        ("out = R.add(x, z)", "z"),
        ("out = R.add(x)", "add"),
        ("out = R.add(x, y, x, y)", "add"),
        ("out = R.matmul(x, y)", "matmul"),
        ("out = R.call_tir(cls.missing, (x,), out_sinfo=R.Tensor((2, 3), 'float32'))", "missing"),
        ("out = R.call_tir(cls.double, (x, y), out_sinfo=R.Tensor((2, 3), 'float32'))", "double"),
        ("out = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((3, 2), 'float32'))", "double"),
        ("out = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((2, 3), 'float16'))", "float16"),
        ("out = R.permute_dims(x, axes=[0, 5])", "axes|axis|5"),
        ("out: R.Tensor((9, 9), 'float32') = R.add(x, y)", "9"),
        ("out = R.add(late, x); late = R.add(x, y)", "late"),
    ],
)
def test_wrong_graphs(body, message):
    with pytest.raises(tw.TVMError, match=message) as caught:
        tw.script.from_source(RELAX.format(body=body))
    assert caught.value.line == 15, str(caught.value)
    assert caught.value.code
    assert body.split("=")[-1].strip()[:6] in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("B[vi] = A[vi, vj]", "B"),
        ("B[vi, vj] = A[vi, vj, vj]", "A"),
        ("B[vi, vj] = C[vi, vj]", "C"),
        ("B[vi, vj] = T.no_such_intrinsic(A[vi, vj])", "no_such_intrinsic"),
        ("B[vi, vj] = A[vi, vj] + ", "syntax|expected"),
        ("B[vi, vj] = T.float32(1, 2, 3)", "float32"),
    ],
)
def test_wrong_loops(statement, message):
    text = RELAX.format(body=GOOD).replace("B[vi, vj] = A[vi, vj] * T.float32(2)", statement)
    with pytest.raises(tw.TVMError, match=message) as caught:
        tw.script.from_source(text)
    assert caught.value.line == 9, str(caught.value)


def test_every_problem_is_reported_at_once():
    text = RELAX.format(body="out = R.no_such_op(x)").replace("A[vi, vj] * T.float32(2)", "C[vi, vj]")
    with pytest.raises(tw.TVMError) as caught:
        tw.script.from_source(text)
    assert "no_such_op" in str(caught.value) and "`C`" in str(caught.value)


def test_a_decorated_function_points_into_its_own_file(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(
        "from tilewright.script import tir as T\n\n\n@T.prim_func\n"
        'def f(A: T.Buffer((2,), "float32")):\n    for i in range(2):\n        A[j] = T.float32(1)\n'
    )
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "wrong.py:7" in done.stderr and "`j`" in done.stderr, done.stderr


@pytest.fixture(scope="module")
def main():
    vm = tw.relax.VirtualMachine(tw.relax.build(tw.script.from_source(RELAX.format(body=GOOD)), "llvm"), tw.cpu())
    return vm["main"]


X = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)


def test_numpy_arrays_are_arguments_too(main):
    np.testing.assert_array_equal(main(X, X).numpy(), X * 2)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (X.astype("float64"), "float64.*float32|float32.*float64"),
        (X.reshape(6), "rank|dimension|shape"),
        (X.reshape(3, 2), "3|shape"),
        (X[:, ::-1], "stride|contiguous|negative"),
        (3.5, "tensor"),
        ("text", "tensor"),
        (None, "tensor"),
    ],
    ids=["dtype", "rank", "dimension", "negative strides", "float", "str", "None"],
)
def test_wrong_arguments(main, x, message):
    with pytest.raises(tw.TVMError, match=f"(?is){message}"):
        main(x, X)
    np.testing.assert_array_equal(main(X, X).numpy(), X * 2)


def test_wrong_numbers_of_arguments(main):
    with pytest.raises(tw.TVMError, match="2"):
        main(X)
    with pytest.raises(tw.TVMError, match="2"):
        main(X, X, X)


def test_one_tensor_twice_as_input(main):
    t = tw.nd.array(X)
    np.testing.assert_array_equal(main(t, t).numpy(), X * 2)


def test_one_tensor_as_input_and_output_is_refused():
    function = tw.script.from_source(RELAX.format(body=GOOD))["double"]
    double = tw.build(function, target="llvm")
    t = tw.nd.array(X)
    with pytest.raises(tw.TVMError, match="share memory"):
        double(t, t)


def test_a_read_only_tensor_is_not_written():
    function = tw.script.from_source(RELAX.format(body=GOOD))["double"]
    frozen = np.zeros((2, 3), "float32")
    frozen.flags.writeable = False
    with pytest.raises(tw.TVMError, match="read-only"):
        tw.build(function, target="llvm")(X, frozen)
    assert (frozen == 0).all()


def test_an_unknown_function_lists_those_that_there_are(main):
    vm = tw.relax.VirtualMachine(tw.relax.build(tw.script.from_source(RELAX.format(body=GOOD)), "llvm"), tw.cpu())
    with pytest.raises(tw.TVMError, match=r"nope.*main"):
        vm["nope"]


def test_unknown_targets_and_pipelines():
    module = tw.script.from_source(RELAX.format(body=GOOD))
    with pytest.raises(tw.TVMError, match="nonsense"):
        tw.relax.build(module, target="nonsense")
    with pytest.raises(tw.TVMError, match="nonsense"):
        tw.relax.pipeline.get_pipeline("nonsense")


def test_binding_wrong_parameters():
    module = tw.script.from_source(RELAX.format(body=GOOD))
    bind = tw.relax.transform.BindParams
    with pytest.raises(tw.TVMError, match="z"):
        bind("main", {"z": X})(module)
    with pytest.raises(tw.TVMError, match="nope"):
        bind("nope", {"x": X})(module)
    with pytest.raises(tw.TVMError, match="x"):
        bind("main", {"x": X.astype("float64")})(module)
    with pytest.raises(tw.TVMError, match="x"):
        bind("main", {"x": X.T})(module)


def test_comparison_says_where_modules_differ():
    one = tw.script.from_source(RELAX.format(body=GOOD))
    two = tw.script.from_source(RELAX.format(body=GOOD).replace("T.float32(2)", "T.float32(3)"))
    assert not tw.ir.structural_equal(one, two)
    assert tw.ir.structural_equal(one, one) and tw.ir.structural_hash(one) != tw.ir.structural_hash(two)
    with pytest.raises((AssertionError, ValueError), match="double"):
        tw.ir.assert_structural_equal(one, two)


def test_async_functions_and_wrong_decorators_are_reported(tmp_path):
    head = "from tilewright.script import tir as T, ir as I\n\n"
    body = 'def f(A: T.Buffer((2,), "float32")):\n    A[0] = T.float32(1)\n'
    for text, message in [
        (f"{head}@T.prim_func\nasync {body}", "wrong.py:4:11"),
        (f"{head}@T.prim_funk\n{body}", "did you mean `prim_func`?"),
        (f"{head}@I.ir_modul\nclass M:\n    pass\n", "did you mean `ir_module`?"),
    ]:
        path = tmp_path / "wrong.py"
        path.write_text(text)
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
        assert done.returncode == 1 and message in done.stderr, done.stderr
        with pytest.raises(tw.TVMError, match=r"async|did you mean"):
            tw.script.from_source(text)


def test_a_loop_that_never_runs_is_warned_of():
    with pytest.warns(UserWarning, match="-4 iterations never runs"):
        tw.script.from_source(
            'def f(A: T.Buffer((2,), "float32")):\n    for i in T.serial(-4):\n        A[0] = T.float32(1)\n'.join(
                ["@T.prim_func\n", ""]
            )
        )


def test_messages_use_the_words_of_the_script():
    text = RELAX.format(body=GOOD).replace("A[vi, vj] * T.float32(2)", "A[vi, vj] << A[vi, vj]")
    with pytest.raises(tw.TVMError, match="`<<` is not defined for float32"):
        tw.script.from_source(text)
    with pytest.raises(tw.TVMError, match='integers or None, found the text "ab"'):
        tw.script.from_source(RELAX.format(body='out = R.permute_dims(x, axes="ab")'))
