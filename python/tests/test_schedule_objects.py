"""The objects of a schedule: names of blocks and buffers, references and states, dependencies, calls and traces."""

import numpy as np
import pytest

import tilewright as tvm
from tilewright import tir
from tilewright.error import TVMError
from tilewright.script import from_source
from tilewright.tir.schedule import BlockRV, DepKind, Instruction, InstructionKind, LoopRV, Trace
from tilewright.tir.schedule.schedule import ScheduleError
from tilewright.tir.schedule.state import CachedFlags
from tilewright.tir.schedule.testing import verify_trace_roundtrip

HEADER = "from tvm.script import ir as I\nfrom tvm.script import tir as T\n"

CHAIN = """
@T.prim_func
def main(A: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    B = T.alloc_buffer((128, 128), "float32")
    for i, j in T.grid(128, 128):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
"""

TILES = """
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32")
    for i in range(8):
        for j in range({written}):
            with T.block("B"):
                v = T.axis.spatial(64, i * 8 + j)
                B[v] = A[v]
        for j in range(8):
            with T.block("C"):
                v = T.axis.spatial(64, i * 8 + j)
                C[v] = B[v]
"""

OVERWRITING = """
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("first"):
            v = T.axis.spatial(8, i)
            B[v] = A[v]
    for i in range(8):
        with T.block("second"):
            v = T.axis.spatial(8, i)
            A[v] = B[v] + T.float32(1)
    for i in range(8):
        with T.block("third"):
            v = T.axis.spatial(8, i)
            B[v] = A[v]
"""

STEPS = """
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(32):
        with T.block("B"):
            v = T.axis.spatial(64, i * 2)
            B[v] = A[v]
"""


def read(text):
    """The function of a script."""
    return from_source(HEADER + text)


def test_blocks_and_buffers_have_names():
    sch = tir.Schedule(read(CHAIN))
    sch.compute_at("B", sch.get_loops("C")[0])
    a_local = sch.cache_read("B", "A", "local", consumer_blocks=["B"])
    c_local = sch.cache_write("C", sch.get(sch.get_block("C")).writes[0].buffer, "local")
    sch.set_scope("B", "B", "shared")
    sch.transform_layout("C", "B_shared", lambda *indices: indices[::-1])
    assert isinstance(a_local, BlockRV) and sch.get(c_local).name_hint == "C_local"
    lines = sch.trace.as_python()
    assert lines[:4] == [
        'b0 = sch.get_block(name="C", func_name="main")',
        "l1, l2 = sch.get_loops(block=b0)",
        'b3 = sch.get_block(name="B", func_name="main")',
        "sch.compute_at(block=b3, loop=l1, preserve_unit_loops=False, index=-1)",
    ]
    assert 'read_buffer_index=0, storage_scope="local", consumer_blocks=[b4]' in lines[6]
    assert lines[-1].startswith('sch.transform_layout(block=b11, buffer=("read", 0), index_map=lambda ')
    verify_trace_roundtrip(sch, read(CHAIN))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.get_loops("D"), ScheduleError),
        (lambda s: s.cache_read("B", "C", "local"), ScheduleError),
        (lambda s: s.cache_read("B", "X", "local"), ScheduleError),
        (lambda s: s.get_loops(3), TypeError),
        (lambda s: s.split(s.get_block("B"), [None, 2]), TypeError),
        (lambda s: s.split(s.get_loops("B")[0]), TypeError),
        (lambda s: s.split(s.get_loops("B")[0], [2, 3]), ScheduleError),
        (lambda s: s.get(LoopRV()), IndexError),
    ],
)
def test_wrong_calls_change_nothing(call, error):
    sch = tir.Schedule(read(CHAIN))
    with pytest.raises(error):
        call(sch)
    assert [inst.kind.name for inst in sch.trace.insts] in ([], ["GetBlock"], ["GetBlock", "GetLoops"])
    tvm.ir.assert_structural_equal(sch.mod["main"], read(CHAIN))


def test_handles_that_are_gone_or_given_back():
    sch = tir.Schedule(read(CHAIN))
    block = sch.get_block("B")
    i, _ = sch.get_loops(block)
    sch.split(i, [None, 4])
    with pytest.raises(ValueError, match="invalid"):
        sch.get(i)
    sch.remove_rv(block)
    with pytest.raises(IndexError, match="no handle"):
        sch.get(block)


def test_errors_say_as_much_as_is_wanted():
    texts = {}
    for level in ("detail", "fast", "none"):
        sch = tir.Schedule(read(CHAIN), error_render_level=level)
        with pytest.raises(ScheduleError) as caught:
            sch.compute_inline("C")
        texts[level] = str(caught.value)
    assert "^^^" in texts["detail"] and 'T.block("C")' in texts["detail"]
    assert "\n" not in texts["fast"] and "temporary" in texts["fast"]
    assert "not rendered" in texts["none"]


def test_references_stay_while_what_is_inside_changes():
    function = read(CHAIN)
    sch = tir.Schedule(function, debug_mask="all")
    outer, inner = sch.get_loops("B")
    place = sch.get_sref(outer)
    assert place.same_as(sch.state.get_sref(sch.get(outer))) and place.parent == sch.get_sref(sch.get_block("root"))
    assert sch.get_sref(inner).parent == place and place.seq_index == 0
    assert place.parent.parent is None and sch.state.debug_mask == 3
    sch.split(inner, [None, 4])
    assert place.stmt.loop_var.same_as(sch.get(outer).loop_var)
    gone = sch.get_sref(sch.get_block("B"))
    sch.compute_inline("B")
    assert gone.stmt is None and place.stmt is None
    assert tir.StmtSRef.inline_mark() == tir.StmtSRef.inline_mark() != tir.StmtSRef.root_mark()


def test_a_state_takes_another_loop():
    state = tir.ScheduleState(read(CHAIN))
    root = state.mod["main"].body.block
    first = root.body.seq[0]
    place = state.get_sref(first)
    unrolled = tir.For(first.loop_var, first.min, first.extent, tir.ForKind.UNROLLED, first.body)
    state.replace(place, unrolled)
    assert "T.unroll(128)" in state.mod.script()
    assert place.stmt.kind == tir.ForKind.UNROLLED and state.get_sref(first) is None


def flags(text, name):
    """What is known of a block."""
    sch = tir.Schedule(read(text))
    return sch.state._get_cached_flags(sch.get_sref(sch.get_block(name)))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (CHAIN, "root", (True, True, True)),
        (CHAIN, "C", (True, True, True)),
        (TILES.format(written=8), "C", (True, True, True)),
        (TILES.format(written=7), "C", (True, False, True)),
        (TILES.format(written=7), "root", (True, True, False)),
        (OVERWRITING, "root", (True, True, False)),
        (STEPS, "B", (False, True, True)),
    ],
)
def test_what_is_known_of_a_block(text, name, expected):
    assert flags(text, name) == CachedFlags(*expected)


@pytest.mark.parametrize("scope_of", [tir.ScheduleState, tir.BlockDependenceInfo])
def test_dependencies_have_kinds(scope_of):
    function = read(OVERWRITING)
    info = scope_of(function)
    root = info.mod["main"].body.block
    first, second, third = (info.get_sref(loop.body.block) for loop in root.body.seq)
    scope = info.get_block_scope(info.get_sref(root))
    found = {(d.src, d.dst, d.kind) for d in scope.get_deps_by_src(first) + scope.get_deps_by_src(second)}
    assert found == {
        (first, second, DepKind.RAW),
        (first, second, DepKind.WAR),
        (first, third, DepKind.WAW),
        (second, third, DepKind.RAW),
        (second, third, DepKind.WAR),
    }
    assert {d.src for d in scope.get_deps_by_dst(third)} == {first, second}
    assert scope.get_deps_by_src(third) == []


def test_calls_and_traces_are_made_by_hand():
    block, i, j = BlockRV(), LoopRV(), LoopRV()
    get_block = Instruction(InstructionKind.get("GetBlock"), [], ["C", "main"], [block])
    get_loops = Instruction(InstructionKind.get("GetLoops"), [block], [], [i, j])
    parallel = Instruction(InstructionKind.get("Parallel"), [i], [], [])
    assert str(get_loops) == "_, _ = sch.get_loops(block=_)" and get_loops.kind.is_pure
    assert get_loops.inputs[0].same_as(block) and not parallel.kind.is_pure
    trace = Trace([get_block, get_loops], {})
    trace.append(parallel)
    assert str(trace).splitlines() == [
        "# from tvm import tir",
        "def apply_trace(sch: tir.Schedule) -> None:",
        '  b0 = sch.get_block(name="C", func_name="main")',
        "  l1, l2 = sch.get_loops(block=b0)",
        "  sch.parallel(loop=l1)",
    ]
    sch = tir.Schedule(read(CHAIN))
    trace.apply_to_schedule(sch, remove_postproc=False)
    assert "T.parallel(128)" in sch.mod.script()
    assert trace.as_json()[0][1] == ["GetLoops", ["b0"], [], ["l1", "l2"]]
    assert trace.pop() is parallel and len(trace.insts) == 2 and trace.simplified(True).insts == []
    with pytest.raises(TVMError, match="no primitive"):
        InstructionKind.get("Melt")


def test_what_could_be_called():
    sch = tir.Schedule(read(CHAIN))
    i, j = sch.get_loops("C")
    assert sch.can_compute_at("B", j) and not sch.can_compute_at("C", j)
    assert not sch.can_decompose_padding("B", i) and len(sch.trace.insts) == 2
    assert tir.schedule.analysis.has_block(sch, "B") and not tir.schedule.analysis.has_block(sch, "X")


def test_what_was_drawn_is_a_number_to_calculate_with():
    sch = tir.Schedule(read(CHAIN))
    j = sch.get_loops("B")[1]
    outer, middle, inner = sch.sample_perfect_tile(j, 3, decision=[4, 8, 4])
    assert isinstance(middle, tir.Var) and sch.get(middle) == 8 and sch.get(middle * inner) == 32
    sch.split(j, [outer, middle * inner])
    sch.transform_layout("B", "B", lambda i, j: (i, j // (middle * inner), j % (middle * inner)))
    assert [sch.get(loop).extent for loop in sch.get_loops("B")] == [128, 4, 32]
    assert "factors=[v3, 32]" in str(sch.trace)
    verify_trace_roundtrip(sch, read(CHAIN))


def test_layouts_have_separators_and_pads_are_functions():
    sch = tir.Schedule(read(CHAIN))
    separator = tir.IndexMap.AXIS_SEPARATOR
    sch.transform_layout("B", ("write", 0), lambda i, j: [i // 3, separator, j, i % 3], pad_value=lambda i, j, k: j + k)
    text = sch.mod.script()
    assert "axis_separators=[1]" in text and 'T.Cast("float32", v1 + v2)' in text
    with pytest.raises(ScheduleError, match="pad_value"):
        tir.Schedule(read(CHAIN)).transform_layout("B", "B", lambda i, j: [i // 3, j, i % 3])


INTRINSIC = """
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for k in range(4):
        with T.block("update"):
            vk = T.axis.spatial(4, k)
            B[vk] = A[vk] * T.float32(2)
"""


def test_loops_that_an_intrinsic_covers():
    intrin = read(INTRINSIC)
    tir.TensorIntrin.register("test.double_4", intrin, intrin, override=True)
    sch = tir.Schedule(read(CHAIN))
    info = tir.schedule.analysis.get_tensorize_loop_mapping(sch, sch.get_block("B"), intrin)
    j = sch.get_loops("B")[1]
    assert list(info.loop_map) == [sch.get_sref(j)] and info.block_iter_paddings is None
    tile = tir.schedule.transform.tile_with_tensor_intrin(sch, sch.get_block("B"), "test.double_4")
    assert sch.get(tile).extent == 4 and len(sch.get_loops("B")) == 3
    sch.tensorize(tile, "test.double_4")
    assert tir.schedule.transform.tile_with_tensor_intrin(sch, sch.get_block("C"), "test.double_4") is not None


@pytest.mark.parametrize(
    ("shape", "indices", "extents", "expected"),
    [
        ((8, 256), lambda i, j: (i // 16 * 4 + j // 16, i % 16 * 16 + j % 16), (32, 64), "xyXY"),
        ((256, 8), lambda i, j: (j, i), (8, 256), "yx"),
        ((2048,), lambda i, j: (j * 32 + i,), (32, 64), "lh"),
    ],
)
def test_layouts_that_suit_the_order_of_loops(shape, indices, extents, expected):
    loop_vars = [tir.Var("i", "int32"), tir.Var("j", "int32")]
    loops = [
        tir.For(var, 0, extent, tir.ForKind.SERIAL, tir.Evaluate(0))
        for var, extent in zip(loop_vars, extents, strict=True)
    ]
    buffer = tir.decl_buffer(shape)
    found = tir.schedule.analysis.suggest_index_map(buffer, indices(*loop_vars), loops, tir.const(True, "bool"))
    maps = {
        "xyXY": lambda x, y: (x // 4, y // 16, x % 4, y % 16),
        "yx": lambda x, y: (y, x),
        "lh": lambda x: (x % 32, x // 32),
    }
    wanted = tir.IndexMap.from_func(maps[expected], index_dtype="int32")
    values = dict(zip(wanted.initial_indices, found.initial_indices, strict=True))
    moved = [tir.stmt_functor.substitute(index, values) for index in wanted.final_indices]
    assert all(tvm.ir.structural_equal(a, b) for a, b in zip(moved, found.final_indices, strict=True))


def test_a_loop_runs_in_parallel_where_a_block_inside_is_run_again():
    text = """
@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    B = T.alloc_buffer((16, 8))
    for i, k in T.grid(16, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = A[vi, vk] * T.float32(2)
    for i, j in T.grid(16, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, 7 - vj] + B[vi, vj]
"""
    sch = tir.Schedule(read(text))
    i, j = sch.get_loops("C")
    outer, _ = sch.split(j, [None, 4])
    sch.compute_at("B", outer)
    sch.parallel(i)
    a, c = np.random.default_rng(0).normal(size=(16, 8)).astype("float32"), tvm.nd.empty((16, 8), "float32")
    tvm.build(sch.mod, "llvm")(tvm.nd.array(a), c)
    np.testing.assert_allclose(c.numpy(), 2 * (a + a[:, ::-1]), rtol=1e-6)
