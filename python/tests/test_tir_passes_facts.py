"""Loop passes and what they know: facts that decide conditions, and what must not move, shrink or be written out."""

import numpy as np
import pytest
from loop_functions import changed, computes_the_same, parsed, run

import tilewright as tvm
from tilewright import tir
from tilewright.error import TVMError
from tilewright.tir import transform

KNOWN = {"propagate_knowns_to_prove_conditional": True}
VALUES = {"propagate_knowns_to_simplify_expressions": True}
GRID = '(A: T.Buffer((8, 8), "int32")):\n    for i, j in T.grid(8, 8):\n'

# The options of Simplify, the program before, and after; None where it stays.
SIMPLIFIED = {
    "one side of an or is left": (
        {},
        GRID
        + "        if i == 0 and j == 0:\n            A[i, j] = 0\n        else:\n            if i == 0:\n"
        + "                if j == 0:\n                    A[i, j] = 1\n                else:\n"
        + "                    A[i, j] = 2\n            else:\n                A[i, j] = 3\n",
        GRID
        + "        if i == 0 and j == 0:\n            A[i, j] = 0\n        else:\n            if i == 0:\n"
        + "                A[i, j] = 2\n            else:\n                A[i, j] = 3\n",
    ),
    "a stored element": (
        KNOWN,
        '(A: T.Buffer((4,), "int32")):\n    A[1] = 0\n    A[2] = 5\n    if A[1] == 0:\n        A[1] = 42\n',
        '(A: T.Buffer((4,), "int32")):\n    A[1] = 0\n    A[2] = 5\n    A[1] = 42\n',
    ),
    "an element without the option": (
        {},
        '(A: T.Buffer((4,), "int32")):\n    A[1] = 0\n    if A[1] == 0:\n        A[1] = 42\n',
        None,
    ),
    "an element that another store may change": (
        KNOWN,
        '(A: T.Buffer((4,), "int32"), n: T.int32):\n    A[1] = 0\n    A[n] = 5\n    if A[1] == 0:\n        A[1] = 42\n',
        None,
    ),
    "elements that a loop stores": (
        KNOWN,
        '(A: T.Buffer((16,), "int32")):\n    for i in range(16):\n        A[i] = i * 2\n'
        "    for i in range(8):\n        if 16 <= A[i + 8]:\n            A[i] = 42\n",
        None,
    ),
    "elements that are read, and stored elsewhere": (
        KNOWN,
        '(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):\n    for i in range(16):\n        A[i] = i * 2\n'
        "    for i in range(8):\n        if 16 <= A[i + 8]:\n            B[i] = 42\n",
        '(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):\n    for i in range(16):\n        A[i] = i * 2\n'
        "    for i in range(8):\n        B[i] = 42\n",
    ),
    "a value": (
        VALUES,
        '(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):\n    A[0] = 7\n    B[0] = A[0] + 1\n',
        '(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):\n    A[0] = 7\n    B[0] = 8\n',
    ),
    "a value of one branch": (
        VALUES,
        '(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):\n    A[0] = 7\n    if B[1] == 3:\n'
        "        A[0] = 8\n    B[0] = A[0]\n",
        None,
    ),
}


@pytest.mark.parametrize("name", SIMPLIFIED)
def test_facts_decide_conditions(name):
    options, before, after = SIMPLIFIED[name]
    found = computes_the_same(transform.Simplify(), before, {"tir.Simplify": options})
    tvm.ir.assert_structural_equal(found, parsed(before if after is None else after))


@pytest.mark.parametrize(
    ("given", "asked", "holds"),
    [
        ("i < j and j < k", "i < k", True),
        ("i < j and j <= k", "i < k", True),
        ("i <= j and j <= k", "i < k", None),
        ("i <= j and j <= k", "i <= k", True),
        ("i < j and j < k + 1", "i < k", True),
        ("i < j and j < k", "i + 1 < k", True),
        ("i < j and j < k", "i + 2 < k", None),
        ("i < j - 5 and j < k", "i + 5 < k", True),
        ("i == j and j < k", "i < k", True),
        ("i > j and j > k", "i > k", True),
        ("i > j and j > k", "i <= k", False),
        ("i < j and j != k", "i < k", None),
        ("i <= j and i != j", "i < j", True),
    ],
)
def test_inequalities_follow_from_each_other(given, asked, holds):
    header = '(A: T.Buffer((1,), "bool"), i: T.int32, j: T.int32, k: T.int32):\n'
    before = parsed(header + f"    if {given}:\n        A[0] = {asked}\n")
    found = changed(transform.Simplify(), before, {"tir.Simplify": {"transitively_prove_inequalities": True}})
    stores = []
    tir.stmt_functor.post_order_visit(
        found.body, lambda node: stores.append(node) if isinstance(node, tir.BufferStore) else None
    )
    value = stores[0].value
    assert (bool(value.value) if isinstance(value, tir.IntImm) else None) is holds


@pytest.mark.parametrize(
    ("stores", "kept"),
    [
        (["A[i] = 1", "A[i] = 2"], 1),
        (["A[i] = B[i]", "A[i] = 2"], 1),
        (["A[i] = 1", "B[i] = A[i]", "A[i] = 2"], 3),
        (["A[i] = 1", "A[i] = A[i] + 1"], 2),
        (["A[i] = 1", "B[i] = 3", "A[i] = 2"], 2),
    ],
)
def test_overwritten_stores_are_left_out(stores, kept):
    lines = "".join(f"    for i in range(16):\n        {store}\n" for store in stores)
    text = '(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):\n' + lines
    found = computes_the_same(transform.RemoveNoOp(), text, {"tir.RemoveNoOp": {"use_dataflow_analysis": True}})
    assert found.script().count("for i") == kept
    assert changed(transform.RemoveNoOp(), parsed(text)).script().count("for i") == len(stores)


def test_a_part_is_not_overwritten():
    text = '(A: T.Buffer((16,), "int32")):\n    for i in range(16):\n        A[i] = 1\n    for i in range(15):\n'
    text += "        A[i] = 2\n"
    found = computes_the_same(transform.RemoveNoOp(), text, {"tir.RemoveNoOp": {"use_dataflow_analysis": True}})
    assert found.script().count("for i") == 2


# What stays as it is: a pass, and a program whose text before and after is the same.
STAYS = {
    "too many copies": (
        transform.UnrollLoop(),
        '(A: T.Buffer((4,), "int32")):\n    for i in T.unroll(1000000):\n        A[i % 4] = i\n',
    ),
    "a division that the loop guards": (
        transform.HoistIfThenElse(),
        '(A: T.Buffer((4,), "int32"), n: T.int32):\n    for i in range(n):\n        if 5 // n > 1:\n'
        "            A[i] = i\n",
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_may_not_change_stays(name):
    made, text = STAYS[name]
    before = parsed(text)
    tvm.ir.assert_structural_equal(changed(made, before), before)


def test_a_first_value_from_memory_that_the_loop_writes_is_read_once():
    i, a = tir.Var("i", "int32"), tir.decl_buffer((4,), "int32")
    first = tir.floormod(tir.BufferLoad(a, [tir.IntImm("int32", 0)]), 2)
    loop = tir.For(i, first, 2, 3, tir.BufferStore(a, i + 5, [tir.IntImm("int32", 0)]))
    handle = tir.Var("a", "handle")
    function = tir.PrimFunc([handle], loop, buffer_map={handle: a}).with_attr("global_symbol", "main")
    tvm.ir.assert_structural_equal(changed(transform.UnrollLoop(), function), function)


def test_a_condition_on_a_name_inside_of_an_expression_stays():
    x, i, a = tir.Var("x", "int32"), tir.Var("i", "int32"), tir.decl_buffer((4,), "int32")
    value = tir.Let(x, i * 2, tir.if_then_else(x > 2, tir.IntImm("int32", 1), tir.IntImm("int32", 7)))
    handle = tir.Var("a", "handle")
    loop = tir.For(i, 0, 4, 0, tir.BufferStore(a, value, [i]))
    function = tir.PrimFunc([handle], loop, buffer_map={handle: a}).with_attr("global_symbol", "main")
    tvm.ir.assert_structural_equal(changed(transform.HoistExpression(), function), function)


def test_copies_of_a_loop_look_at_the_same_memory():
    text = """
(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.unroll(4):
        V = T.decl_buffer((4,), "float32", data=A.data)
        W = T.decl_buffer((4,), "float32")
        W[i] = V[i] + T.float32(1)
        B[i] = W[i]
"""
    computes_the_same(transform.UnrollLoop(), text)


def test_a_choice_guards_divisions_inside_of_its_values():
    text = '(A: T.Buffer((4,), "int32"), n: T.int32):\n    A[0] = T.Select(n != 0, T.max(5 // n, 1), 2)\n'
    assert "if_then_else" in changed(transform.RewriteUnsafeSelect(), parsed(text)).script()
    guarded = text.replace("T.max(5 // n, 1)", "T.if_then_else(n > 0, 5 // n, 1)")
    assert "Select" in changed(transform.RewriteUnsafeSelect(), parsed(guarded)).script()


def test_bfloat16_that_is_looked_at_otherwise_keeps_its_type():
    text = """
(A: T.Buffer((8,), "bfloat16"), D: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        C = T.decl_buffer((1,), "bfloat16")
        C[0] = A[i] + A[0]
        T.evaluate(T.call_extern("int32", "f", T.address_of(C[0])))
        D[i] = C[0] * A[i]
"""
    assert 'C = T.decl_buffer((1,), "bfloat16")' in changed(transform.BF16ComputeLegalize(), parsed(text)).script()


def test_a_constant_that_int32_lacks_is_refused():
    text = '(A: T.Buffer((4,), "int32")):\n    for i in T.serial(T.int64(4)):\n'
    text += "        if i < T.int64(4294967296):\n            A[i] = 1\n"
    with pytest.raises(TVMError, match="4294967296"):
        changed(transform.ForceNarrowIndexToInt32(), parsed(text))


def test_a_barrier_that_is_there_counts():
    text = """
(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, "threadIdx.x"):
        S = T.decl_buffer((32,), "float32", scope="shared")
        S[t] = A[t]
        T.evaluate(T.tvm_storage_sync("shared"))
        A[t] = S[31 - t]
        for k in range(2):
            T.evaluate(T.tvm_storage_sync("shared"))
            S[t] = A[k * 32 + t]
            A[k * 32 + t] = S[31 - t]
"""
    found = changed(transform.ThreadSync("shared"), parsed(text)).script()
    assert found.count("tvm_storage_sync") == 3


def test_an_inner_let_of_the_same_variable_keeps_its_uses():
    x, a = tir.Var("x", "int32"), tir.decl_buffer((2,), "int32")
    value = tir.Let(x, tir.IntImm("int32", 2), x + tir.Let(x, tir.IntImm("int32", 5), x * 10))
    handle = tir.Var("a", "handle")
    stores = [tir.BufferStore(a, value, [at]) for at in range(2)]
    function = tir.PrimFunc([handle], tir.SeqStmt(stores), buffer_map={handle: a}).with_attr("global_symbol", "main")
    found = changed(transform.ConvertSSA(), function)
    np.testing.assert_array_equal(run(found)[0], [52, 52])
    variables = []
    tir.stmt_functor.post_order_visit(
        found.body, lambda node: variables.append(node.var) if isinstance(node, tir.Let) else None
    )
    assert len(variables) == 4 and not any(
        one.same_as(other) for at, one in enumerate(variables) for other in variables[:at]
    )
