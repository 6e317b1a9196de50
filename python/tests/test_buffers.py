"""Buffers as values of Python, and PrimFuncs for known buffers."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import tir
from tilewright.script import tir as T
from tilewright.script.ir_builder import IRBuilder
from tilewright.script.ir_builder import tir as builder


@T.prim_func
def doubled(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 4), "float32")
    B = T.match_buffer(b, (n, 8), "float32")
    for i, j in T.grid(n, 4):
        B[i, j * 2] = A[i, j]
        B[i, j * 2 + 1] = A[i, j]


def test_a_function_is_specialised_for_a_value_and_for_a_buffer():
    for known in ({doubled.params[2]: 3}, {doubled.params[0]: tir.decl_buffer((3, 4), "float32")}):
        function = doubled.specialize(known)
        assert len(function.params) == 2 and all(
            dim == 3 for dim in (function.buffer_map[p].shape[0] for p in function.params)
        )
        x, y = np.arange(12, dtype="float32").reshape(3, 4), tw.nd.array(np.zeros((3, 8), "float32"))
        tw.build(function, target="llvm")(tw.nd.array(x), y)
        np.testing.assert_array_equal(y.numpy(), x.repeat(2, 1))


def test_an_address_has_an_offset_from_the_first_element():
    n, k = tir.Var("n", "int32"), tir.Var("k", "int32")
    rows = [
        ({}, 6, "B[0, 0]), 6, 10"),
        ({}, n, "B[0, 0]), n, 16 - n"),
        ({"strides": [8, 1]}, tir.IntImm("int32", 9), "B[0, 0]), 9, 23"),
        ({"strides": [k, 1]}, n, "B[0, 0]), n, k * 4 - n"),
        ({"shape": ()}, 0, "B[()]), 0, 1"),
        ({"shape": (n, k)}, 3, "B[0, 0]), 3, n * k - 3"),
    ]
    for said, offset, address in rows:
        buffer = tir.decl_buffer(**{"shape": (4, 4), "name": "B"} | said)
        pointer = buffer.access_ptr("rw", offset=offset)
        assert str(pointer) == f'T.tvm_access_ptr(T.type_annotation("float32"), T.address_of({address}, 3)'
    assert pointer.op.same_as(tw.ir.Op.get("tir.tvm_access_ptr"))
    assert int(buffer.access_ptr("w", extent=2).args[3]) == 2
    for said, offset in [({"shape": ()}, 1), ({"strides": [8, 2]}, 3), ({"strides": [8, 2]}, n)]:
        buffer = tir.decl_buffer(**{"shape": (4, 4), "name": "B"} | said)
        with pytest.raises(tw.TVMError, match=f"the buffer `B` has .* the offset {offset}"):
            buffer.access_ptr("r", offset=offset)


def test_memory_is_allocated_without_a_condition():
    n, data = tir.Var("n", "int32"), tir.decl_buffer((4,)).data
    for always in (True, 1, tir.IntImm("bool", 1)):
        tir.Allocate(data, "float32", [4], always, tir.Evaluate(0))
    for condition in (n > 3, False, tir.IntImm("bool", 0)):
        with pytest.raises(ValueError, match="without a condition"):
            tir.Allocate(data, "float32", [4], condition, tir.Evaluate(0))
        with pytest.raises(tw.TVMError, match="without a condition"):
            builder.allocate([4], "float32", condition=condition)


def test_mismatched_arguments_are_named():
    a, b, n = doubled.params
    rows = [
        ({a: 3}, "`a` is a buffer, and is given a scalar"),
        ({n: tir.decl_buffer((3,))}, "`n` is a scalar, and is given a buffer"),
        ({tir.Var("q", "int32"): 3}, "`q` is no parameter of the function"),
        ({a: tir.decl_buffer((3, 5))}, "`A` is given 5, where the function has 4"),
        ({a: tir.decl_buffer((3, 4)), b: tir.decl_buffer((2, 8))}, "`B` is given 2, where the function has 3"),
        ({a: tir.decl_buffer((3, 4), "int8")}, "`A` holds float32, the buffer that is given int8"),
    ]
    for known, reason in rows:
        with pytest.raises(tw.TVMError, match=reason):
            doubled.specialize(known)


def test_a_buffer_keeps_its_declaration():
    offset = tir.Var("o", "int32")
    buffer = tir.decl_buffer((6, 4, 3), elem_offset=offset, offset_factor=4, axis_separators=[1], buffer_type="auto")
    assert (buffer.offset_factor, list(buffer.axis_separators), buffer.buffer_type) == (4, [1], 2)
    assert [int(extent) for extent in tir.decl_buffer((6, 4, 3)).get_flattened_buffer().shape] == [72]
    assert [int(extent) for extent in buffer.get_flattened_buffer().shape] == [6, 12]
    assert [str(at) for at in buffer.offset_of([5, 1, 2])] == ["5", "o + 3 + 2"]
    assert [int(at) for at in tir.decl_buffer((4, 4), strides=[5, 1]).offset_of([2, 3])] == [13]
    for wrong in ({"axis_separators": [9]}, {"axis_separators": [2, 1]}, {"buffer_type": "x"}, {"offset_factor": -1}):
        with pytest.raises(tw.TVMError):
            tir.decl_buffer((3, 3), **wrong)


def test_regions_of_a_built_block_follow_from_its_body():
    with IRBuilder() as ib, builder.prim_func():
        builder.func_name("main")
        A, B = (builder.arg(name, builder.Buffer((16,), "float32")) for name in "AB")
        with builder.block("root"), builder.serial(0, 16) as i, builder.block("copy"):
            v = builder.axis.spatial(16, i)
            builder.buffer_store(B, A[v], [v])
    text = ib.get().script()
    assert "T.reads(A[v" in text and "T.writes(B[v" in text


def test_an_uneven_map_has_an_inverse_and_a_condition_for_the_rest():
    index_map = tir.IndexMap.from_func(lambda i, j: [i // 4, j // 3, i % 4, j % 3])
    inverse, unreached = index_map.non_surjective_inverse([14, 8])
    analyzer = tw.arith.Analyzer()
    reached = set()
    for at in np.ndindex(4, 3, 4, 3):
        back = tuple(int(index) for index in inverse.map_indices(list(at)))
        values = {var: tir.IntImm("int64", value) for var, value in zip(inverse.initial_indices, at, strict=True)}
        rest = bool(analyzer.simplify(tir.stmt_functor.substitute(unreached, values)))
        assert rest == (back[0] >= 14 or back[1] >= 8)
        reached |= set() if rest else {back}
    assert len(reached) == 14 * 8
    whole = tir.IndexMap.from_func(lambda i: [i // 4, i % 4]).non_surjective_inverse([16])
    assert not bool(whole[1])


def test_joined_conditions_are_at_least_one():
    for join in (tir.all, tir.any):
        with pytest.raises(ValueError, match="at least one condition"):
            join()
        n = tir.Var("n", "int32")
        assert str(join(n > 0)) == "n > 0"
