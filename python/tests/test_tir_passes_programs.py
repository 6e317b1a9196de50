"""Forms of programs around passes: targets with hosts, passes of one's own in the lowering, what a build takes."""

import numpy as np
import pytest
from loop_functions import DOUBLE_BUFFER, changed, computes_the_same, parsed, run

import tilewright as tvm
from tilewright import te
from tilewright.error import TVMError
from tilewright.target import Target
from tilewright.tir import transform

ADD = """
(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    {attrs}
    for i in range(16):
        C[i] = A[i] + T.float32(1)
"""
NO_ATTRS = 'T.func_attr({"tir.noalias": True})'


@pytest.mark.parametrize("host", ["llvm", "llvm -mcpu=haswell"])
def test_a_function_keeps_the_host_of_its_target(host):
    target = Target("cuda", host=host)
    function = parsed(ADD.format(attrs=NO_ATTRS))
    named = 'T.func_attr({"target": T.target("cuda", host="' + host + '")})'
    for made in (
        function.with_attr("target", target),
        function.with_attrs({"target": target}),
        changed(transform.BindTarget(target), function),
        parsed(ADD.format(attrs=named)),
    ):
        found = made.attrs["target"]
        assert found == target and found.host == Target(host)
    again = tvm.script.from_source(parsed(ADD.format(attrs=named)).script())
    assert again.attrs["target"].host == Target(host)


def test_a_host_of_the_target_says_where_the_function_runs():
    function = parsed(ADD.format(attrs=NO_ATTRS)).with_attr("target", Target("llvm", host="llvm"))
    a, c = run(function)
    np.testing.assert_array_equal(c, a + 1)


@pytest.mark.parametrize("phase", [0, 1, 2, 3])
def test_passes_of_the_program_run_in_the_lowering(phase):
    seen = []

    @transform.prim_func_pass(opt_level=0)
    def look(function, _module, _context):
        seen.append(function.script())
        return function

    function = parsed(
        ADD.replace("(16,)", "(4, 4)")
        .format(attrs=NO_ATTRS)
        .replace("C[i] = A[i]", "C[i // 4, i % 4] = A[i // 4, i % 4]")
    )
    with tvm.transform.PassContext(config={"tir.add_lower_pass": [(phase, look)]}):
        changed(transform.Simplify(), function)
        assert not seen
        tvm.lower(function)
        assert len(seen) == 1
        a, c = run(function)
    np.testing.assert_array_equal(c, a + 1)
    assert len(seen) == 2 and ("C[i // 4, i % 4]" in seen[0]) == (phase == 0)


def test_a_pair_that_is_no_pass_of_a_phase_is_refused():
    with tvm.transform.PassContext(config={"tir.add_lower_pass": [transform.Simplify()]}):
        with pytest.raises(TypeError, match="pairs of a phase and a pass"):
            tvm.lower(parsed(ADD.format(attrs=NO_ATTRS)))


def test_options_that_no_pass_reads_are_warned_of():
    with pytest.warns(UserWarning, match="`tir.nonsense`"):
        tvm.transform.PassContext(config={"tir.nonsense": 1})
    with pytest.warns(UserWarning, match="tir.Simplify reads no option 'nonsense'"):
        changed(transform.Simplify(), parsed(ADD.format(attrs=NO_ATTRS)), {"tir.Simplify": {"nonsense": True}})


def test_flat_buffers_of_bools():
    text = '(A: T.Buffer((4, 4), "bool"), C: T.Buffer((4, 4), "bool")):\n    for i, j in T.grid(4, 4):\n'
    computes_the_same(transform.FlattenBuffer(), text + "        C[i, j] = not A[j, i]\n")


GATHER = """
(A: T.Buffer(({size},), "float32"), N: T.Buffer((8,), "int32"), C: T.Buffer((8,), "float32")):
    for i in T.vectorized(8):
        C[i] = A[N[i]]
"""


def test_vectors_of_indices_are_built_and_checked():
    computes_the_same(transform.VectorizeLoop(), GATHER.format(size=9))
    with pytest.raises(TVMError, match="dimension 0 of buffer `A`"):
        run(changed(transform.VectorizeLoop(), parsed(GATHER.format(size=2))))


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_double_buffer_through_a_view(n):
    text = DOUBLE_BUFFER.format(scalars=", n: T.int32", count="n")
    allocated = 'B_data = T.allocate([8], "float32", "global")\n        B = T.Buffer((8,), "float32", data=B_data)'
    text = text.replace('B = T.decl_buffer((8,), "float32")', allocated).replace("B.data", "B_data")
    assert "T.allocate" in text
    after = computes_the_same(transform.InjectDoubleBuffer(), text, scalar=n)
    assert "double_buffer_write" in after.script()


def test_a_select_may_guard_an_access():
    text = """
(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.Select(i >= 3, A[i - 3], T.float32(0)) + T.Select(i < 7, A[i + 1], T.float32(5))
"""
    a, c = run(parsed(text))
    expected = np.concatenate([np.zeros(3), a[:5]]) + np.concatenate([a[1:], [5]])
    np.testing.assert_array_equal(c, expected.astype("float32"))


@pytest.mark.parametrize("name", ["create_schedule", "scan", "gradient"])
def test_absent_names_say_what_to_use(name):
    with pytest.raises(TVMError, match=r"is not there: .*(Schedule|TVMScript|Gradient)"):
        getattr(te, name)()


def test_a_variable_that_is_bound_twice_is_no_static_single_assignment():
    from tilewright import tir

    x, a = tir.Var("x", "int32"), tir.decl_buffer((2,), "int32")
    loops = [tir.For(x, 0, 2, tir.ForKind.SERIAL, tir.BufferStore(a, at, [x])) for at in range(2)]
    handle = tir.Var("a", "handle")
    function = tir.PrimFunc([handle], tir.SeqStmt(loops), buffer_map={handle: a})
    with pytest.raises(RuntimeError, match="bound twice"):
        changed(transform.VerifySSA(), function)
    changed(transform.VerifySSA(), changed(transform.ConvertSSA(), function))


FORMS = {
    "InstrumentBoundCheckers": (
        transform.InstrumentBoundCheckers(),
        """
(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(n):
        C[i + 1] = T.if_then_else(i > 0, A[i - 1], 0) + A[C[i] % 8]
""",
    ),
    "LiftAttrScope": (
        transform.LiftAttrScope("pragma_mark"),
        """
(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.attr(0, "pragma_mark", 1):
            C[i] = A[i]
        if A[i] > 3:
            with T.attr(0, "pragma_mark", 1):
                C[i] = 1
""",
    ),
    "RenormalizeSplitPattern": (
        transform.RenormalizeSplitPattern(),
        """
(A: T.Buffer((24,), "int32"), C: T.Buffer((60,), "int32")):
    for i in range(60):
        C[i] = A[(i - 30) % 24 // 4] + (i - 30) % 25 // 4
""",
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_pass_keeps_values(name):
    made, text = FORMS[name]
    after = computes_the_same(made, text)
    assert not tvm.ir.structural_equal(after, parsed(text))


def test_an_access_out_of_bounds_is_found():
    made, text = FORMS["InstrumentBoundCheckers"]
    with pytest.raises(TVMError, match="out of"):
        run(changed(made, parsed(text)), 9)


def test_weights_in_the_layout_that_a_block_made():
    text = """
(W: T.Buffer((4, 3), "float32"), C: T.Buffer((4, 3), "float32")):
    V = T.alloc_buffer((3, 4), "float32")
    for i, j in T.grid(4, 3):
        with T.block("rewrite"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(W[vi, vj])
            T.writes(V[vj, vi])
            T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
            V[vj, vi] = W[vi, vj]
    for i, j in T.grid(4, 3):
        with T.block("use"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = V[vj, vi] + T.float32(1)
"""
    after = changed(transform.RemoveWeightLayoutRewriteBlock(), parsed(text))
    weights, found = run(after)
    assert weights.shape == (3, 4)
    np.testing.assert_array_equal(found, weights.T + 1)


RETURNS = """
(A: T.Buffer((4,), "int32"), n: T.int32):
    for i in range(4):
        A[i] = 0
    if n < 1:
        T.evaluate(T.ret(0))
    i = T.decl_buffer((1,), "int32")
    i[0] = 0
    while i[0] < 4:
        for j in range(2):
            if i[0] + j == n:
                T.evaluate(T.ret(0))
            A[i[0]] = A[i[0]] + 1
        i[0] = i[0] + 1
    A[0] = 9
    T.evaluate(T.ret(0))
"""


def returning(n):
    a = [0] * 4
    if n < 1:
        return a
    for i in range(4):
        for j in range(2):
            if i + j == n:
                return a
            a[i] += 1
    a[0] = 9
    return a


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_a_kernel_may_return_early(n):
    np.testing.assert_array_equal(run(parsed(RETURNS), n)[0], returning(n))


def test_returns_without_a_meaning_are_refused():
    text = '(A: T.Buffer((4,), "int32"), n: T.int32):\n    for i in {}(4):\n        if i == n:\n            T.ret({})\n'
    with pytest.raises(TVMError, match="iterations run together"):
        run(parsed(text.format("T.parallel", "0") + "        A[i] = i\n"))


@pytest.mark.parametrize("n", [0, 3, 7])
def test_a_kernel_may_return_a_value_early(n):
    text = '(A: T.Buffer((4,), "int32"), n: T.int32):\n    for i in range(4):\n        if i == n:\n'
    text += "            T.ret(A[i])\n"
    a = np.array([5, 6, 7, 8], "int32")
    assert tvm.build(parsed(text), "llvm")(tvm.nd.array(a), n) == (a[n] if n < 4 else None)
