"""Schedules: primitives by name, handles, traces, errors that show the place, and the default schedule of GPUs."""

import json

import numpy as np
import pytest

import tilewright as tvm
from tilewright import relax, te, tir
from tilewright.error import TVMError
from tilewright.script import from_source
from tilewright.tir.schedule import BlockRV, DepKind, Instruction, InstructionKind, LoopRV, Trace
from tilewright.tir.schedule.schedule import ScheduleError
from tilewright.tir.schedule.state import CachedFlags
from tilewright.tir.schedule.testing import assert_structural_equal_ignore_global_symbol, verify_trace_roundtrip

HEADER = "from tvm.script import ir as I\nfrom tvm.script import tir as T\n"


def product(n=37, m=29, k=23):
    """`max(A @ B, 0)` with the product in a temporary."""
    a = te.placeholder((n, k), name="A")
    b = te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), name="r")
    c = te.compute((n, m), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C")
    d = te.compute((n, m), lambda i, j: te.max(c[i, j], 0), name="D")
    return te.create_prim_func([a, b, d])


def run(func, n=37, m=29, k=23):
    """Compiles the function; compares it with NumPy on numbers of both signs."""
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((n, k)).astype("float32"), rng.standard_normal((k, m)).astype("float32")
    d = tvm.nd.array(np.full((n, m), np.nan, "float32"))
    tvm.build(func, target="llvm")(tvm.nd.array(a), tvm.nd.array(b), d)
    np.testing.assert_allclose(d.numpy(), np.maximum(a @ b, 0), rtol=1e-4, atol=1e-4)


def test_a_tiled_product_computes_the_same():
    sch = tir.Schedule(product())
    c, d = sch.get_block("C"), sch.get_block("D")
    i, j, k = sch.get_loops(c)
    i0, i1 = sch.split(i, factors=[None, 8])
    j0, j1 = sch.split(j, [None, 16])
    k0, k1 = sch.split(k, [6, None])
    sch.reorder(i0, j0, k0, i1, k1, j1)
    sch.reverse_compute_at(d, j0)
    sch.vectorize(j1)
    sch.parallel(sch.fuse(i0, j0))
    sch.unroll(k1)
    run(sch.mod["main"])
    again = verify_trace_roundtrip(sch, product())
    assert "T.vectorized(16)" in again.mod.script()


def test_a_reduction_is_taken_apart():
    sch = tir.Schedule(product())
    c = sch.get_block("C")
    i, j, k = sch.get_loops(c)
    sch.reorder(i, k, j)
    init = sch.decompose_reduction(c, k)
    assert isinstance(init, BlockRV)
    assert (sch.get(init).name_hint, sch.get(c).name_hint) == ("C_init", "C_update")
    run(sch.mod["main"])


def test_handles_know_their_blocks_and_loops():
    sch = tir.Schedule(product())
    c, d = sch.get_block("C"), sch.get_block("D", func_name="main")
    assert [sch.get(loop).extent.value for loop in sch.get_loops(c)] == [37, 29, 23]
    assert isinstance(sch.get_loops(c)[0], LoopRV)
    assert [sch.get(block).name_hint for block in sch.get_consumers(c)] == ["D"]
    assert [sch.get(block).name_hint for block in sch.get_producers(d)] == ["C"]
    root = sch.get_block("root")
    assert [sch.get(block).name_hint for block in sch.get_child_blocks(root)] == ["C", "D"]
    assert [sch.get(block).name_hint for block in sch.get_output_blocks(root)] == ["D"]


def test_a_copy_goes_its_own_way():
    sch = tir.Schedule(product())
    loop = sch.get_loops(sch.get_block("D"))[0]
    copy = sch.copy()
    copy.split(loop, [None, 4])
    assert len(sch.trace.insts) == 2 and len(copy.trace.insts) == 3
    sch.parallel(loop)
    with pytest.raises(ScheduleError, match="gone"):
        copy.parallel(loop)


def test_a_refused_primitive_changes_nothing_and_shows_the_place():
    sch = tir.Schedule(product())
    before, k = sch.mod, sch.get_loops(sch.get_block("C"))[2]
    with pytest.raises(ScheduleError) as caught:
        sch.bind(k, "blockIdx.x")
    message = str(caught.value)
    assert message.startswith("ScheduleError: An error occurred in the schedule primitive 'bind'.\n\nThe IR with diag")
    assert "\nError message: error[TW0706]: `bind` cannot be applied" in message
    assert "loop `r` drives axis `v_r` of block `C`, which is not spatial" in message
    lines = message.splitlines()
    at = next(i for i, line in enumerate(lines) if 'T.block("C")' in line)
    assert set(lines[at + 1].strip()) == {"^"}
    tvm.ir.assert_structural_equal(sch.mod, before)
    assert len(sch.trace.insts) == 2
    quiet = tir.Schedule(product(), error_render_level="none")
    with pytest.raises(ScheduleError) as caught:
        quiet.bind(quiet.get_loops(quiet.get_block("C"))[2], "blockIdx.x")
    assert "^" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, b, loops: s.get_block("E"), "no block `E`"),
        (lambda s, b, loops: s.split(loops[0], [None, None]), "at most one is open"),
        (lambda s, b, loops: s.split(loops[0], [2, 3]), "not proven to reach the extent"),
        (lambda s, b, loops: s.split(loops[0], [None, 0]), "at least 1, found 0"),
        (lambda s, b, loops: s.split(b, [None, 2]), "expected a loop, found a block"),
        (lambda s, b, loops: s.fuse(loops[0], loops[2]), "not the only statement directly inside"),
        (lambda s, b, loops: s.bind(loops[0], "warp"), "names no threads"),
        (lambda s, b, loops: s.parallel(loops[2]), "not spatial"),
        (
            lambda s, b, loops: s.decompose_reduction(b, s.fuse(loops[1], loops[2])),
            "drives the reduction and the spatial axis `v_j`",
        ),
        (lambda s, b, loops: s.compute_inline(b), "not spatial"),
        (lambda s, b, loops: s.compute_inline(s.get_block("D")), "no temporary"),
        (lambda s, b, loops: s.unannotate(b, "x"), 'no annotation "x"'),
        (lambda s, b, loops: s.cache_read(b, 7, "shared"), "reads 2 buffers, found number 7"),
        (lambda s, b, loops: s.set_scope(b, 0, "nowhere"), "no memory `nowhere`"),
        (lambda s, b, loops: s.decompose_reduction(s.get_block("D"), loops[0]), "has no init"),
        (lambda s, b, loops: s.get_block(), "argument `name` is missing"),
        (lambda s, b, loops: s.get_block("C", nme=1), "no argument `nme`"),
    ],
)
def test_impossible_primitives_are_errors(call, message):
    sch = tir.Schedule(product())
    block = sch.get_block("C")
    with pytest.raises(ScheduleError, match=message):
        call(sch, block, sch.get_loops(block))


def test_traces_are_data():
    sch = tir.Schedule(product())
    loops = sch.get_loops(sch.get_block("D"))
    sch.fuse(*loops)
    trace = sch.trace
    assert trace.as_python() == [
        'b0 = sch.get_block(name="D", func_name="main")',
        "l1, l2 = sch.get_loops(block=b0)",
        "l3 = sch.fuse(l1, l2, preserve_unit_iters=True)",
    ]
    assert trace.insts[2].kind == InstructionKind.get("Fuse") and not trace.insts[2].kind.is_pure
    data = json.loads(json.dumps(trace.as_json()))
    other = tir.Schedule(product())
    Trace.apply_json_to_schedule(data, other)
    tvm.ir.assert_structural_equal(other.mod, sch.mod)
    unused = tir.Schedule(product())
    unused.get_block("C")
    assert unused.trace.simplified().insts == []
    assert isinstance(trace.insts[0], Instruction)
    with pytest.raises(ValueError, match="no primitive"):
        InstructionKind.get("Melt")


def test_a_reduction_in_parts():
    sch = tir.Schedule(product())
    c = sch.get_block("C")
    _, k1 = sch.split(sch.get_loops(c)[2], [None, 4])
    rf = sch.rfactor(k1, factor_axis=0)
    assert isinstance(rf, BlockRV) and sch.get(rf).name_hint == "C_rf"
    loops = sch.get_loops(rf)
    sch.reorder(loops[3], *loops[:3])
    sch.parallel(loops[3])
    run(sch.mod["main"])
    verify_trace_roundtrip(sch, product())


def test_a_layout_is_a_function_of_indices():
    sch = tir.Schedule(product())
    c = sch.get_block("C")
    sch.transform_layout(c, ("write", 0), lambda i, j: (i // 8, j, i % 8), pad_value=0.0)
    sch.transform_block_layout(sch.get_block("D"), tir.IndexMap.from_func(lambda i, j: (i * 29 + j,)))
    run(sch.mod["main"])
    lines = sch.trace.as_python()
    assert 'buffer=("write", 0), index_map=lambda i, j: (i // 8, j, i % 8,), pad_value=0.0' in lines[1]
    verify_trace_roundtrip(sch, product())
    with pytest.raises(ScheduleError, match="one-to-one") as caught:
        sch.transform_layout(sch.get_block("D"), ("read", 0), lambda i, j, k: (0, 0, 0))
    assert caught.value.code == "TW0706"


TILE_DESC = """
@T.prim_func
def tile(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 4):
        with T.block("update"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"""

TILE_IMPL = """
@T.prim_func
def tile(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for k, i in T.grid(4, 8):
        for j in T.vectorized(8):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]
"""


def test_tiles_of_a_padded_product_are_done_by_an_intrinsic():
    desc, impl = from_source(HEADER + TILE_DESC), from_source(HEADER + TILE_IMPL)
    tir.TensorIntrin.register("test.tile_8x8x4", desc, impl, override=True)
    sch = tir.Schedule(product())
    c = sch.get_block("C")
    sch.pad_einsum(c, [8, 8, 4])
    (i, j, k), tile = sch.get_loops(c), (8, 8, 4)
    outer, inner = zip(
        *(sch.split(loop, [None, size]) for loop, size in zip((i, j, k), tile, strict=True)), strict=True
    )
    sch.reorder(*outer, *inner)
    block = sch.blockize(inner[0])
    assert sch.get(block).name_hint == "C_o"
    inside = sch.get(c)
    assert [int(axis.dom.extent) for axis in inside.iter_vars] == [8, 8, 4] and len(sch.get_loops(c)) == 3
    assert "v_i_o * 8 + v_i_i" in str(inside.writes[0])
    sch.decompose_reduction(block, outer[2])
    sch.tensorize(block, "test.tile_8x8x4")
    sch.parallel(outer[0])
    assert "vectorized(8)" in sch.mod.script()
    run(sch.mod["main"])
    again = tir.Schedule(product())
    sch.trace.apply_to_schedule(again)
    tvm.ir.assert_structural_equal(again.mod, sch.mod)
    with pytest.raises(ScheduleError, match=r"registered as `test\.tile`"):
        again.tensorize(again.get_block("D"), "test.tile")


def drawn(seed):
    """A schedule with tiles that are drawn."""
    sch = tir.Schedule(product(n=48, m=36), seed=seed)
    loop = sch.get_loops(sch.get_block("D"))[0]
    factors = sch.sample_perfect_tile(loop, n=3, max_innermost_factor=8)
    sch.split(loop, factors)
    width = sch.sample_categorical([4, 8], [0.5, 0.5])
    sch.enter_postproc()
    sch.annotate(sch.get_block("C"), "width", width)
    return sch, [sch.get(factor).value for factor in factors]


def test_draws_follow_from_the_seed():
    (first, factors), (second, same) = drawn(7), drawn(7)
    assert factors == same and np.prod(factors) == 48 and factors[2] <= 8
    assert str(first.trace) == str(second.trace)
    assert len({tuple(drawn(seed)[1]) for seed in range(20)}) > 3
    assert first.fork_seed() == second.fork_seed()


def test_decisions_are_kept_and_made_anew():
    sch, factors = drawn(3)
    tile, width = sch.trace.decisions
    assert sch.trace.get_decision(tile) == factors and sch.trace.decisions[width] in (0, 1)
    again = tir.Schedule(product(n=48, m=36), seed=99)
    Trace.apply_json_to_schedule(json.loads(json.dumps(sch.trace.as_json())), again)
    tvm.ir.assert_structural_equal(again.mod, sch.mod)
    other = tir.Schedule(product(n=48, m=36))
    sch.trace.with_decision(tile, [2, 4, 6], remove_postproc=True).apply_to_schedule(other)
    assert [loop.extent.value for loop in map(other.get, other.get_loops(other.get_block("D")))] == [2, 4, 6, 36]
    assert "width" not in other.mod.script() and "width" in sch.mod.script()
    provided = tir.Schedule(product(n=48, m=36))
    sch.trace.apply_to_schedule(
        provided, decision_provider=lambda inst, _i, _a, now: [1, 8, 6] if inst == tile else now
    )
    assert "decision=[1, 8, 6]" in str(provided.trace)
    with pytest.raises(ScheduleError, match="not 3 factors whose product is 48"):
        sch.trace.with_decision(tile, [2, 4, 5]).apply_to_schedule(tir.Schedule(product(n=48, m=36)))


def test_every_primitive_is_a_method_with_a_sentence():
    names = ["blockize", "cache_inplace", "cache_read", "compute_at", "decompose_padding", "loop_partition", "merge"]
    names += ["pad_einsum", "reindex", "reindex_cache_read", "reindex_cache_write", "rfactor", "sample_perfect_tile"]
    names += ["sample_compute_location", "set_axis_separator", "tensorize", "transform_block_layout"]
    names += ["transform_layout", "unsafe_set_dtype", "read_at", "write_at", "reorder_block_iter_var"]
    for name in names:
        assert getattr(tir.Schedule, name).__doc__.splitlines()[0].endswith("."), name


def test_names_that_programs_import():
    assert DepKind.RAW == 0 and CachedFlags(True, True, False).affine_binding
    named = from_source(HEADER + '@T.prim_func\ndef f(A: T.Buffer((4,), "float32")):\n    A[0] = A[1]\n')
    assert_structural_equal_ignore_global_symbol(named, named.with_attr("global_symbol", "other"))


@pytest.fixture
def model():
    """A module with products, a softmax and a symbolic size, legalised."""
    block = relax.BlockBuilder()
    n = tir.Var("n", "int64")
    x = relax.Var("x", relax.TensorStructInfo((n, 16), "float32"))
    w = relax.Var("w", relax.TensorStructInfo((16, 4), "float32"))
    with block.function("main", [x, w]):
        with block.dataflow():
            out = block.emit(relax.op.nn.softmax(relax.op.matmul(x, w), axis=-1))
            gv = block.emit_output(relax.op.sum(relax.op.nn.relu(out)))
        block.emit_func_output(gv)
    return relax.transform.LegalizeOps()(block.get())


def test_the_default_schedule_of_a_gpu_binds_every_function(model):
    with tvm.target.Target("cuda"):
        bound = tir.transform.DefaultGPUSchedule()(model)
    functions = [func for _, func in bound.functions_items() if isinstance(func, tir.PrimFunc)]
    assert len(functions) >= 3
    for func in functions:
        assert 'thread="blockIdx.x"' in func.script() and 'thread="threadIdx.x"' in func.script()
    text = bound.script(show_meta=True)
    tvm.ir.assert_structural_equal(from_source(text), bound)
    with tvm.target.Target("cuda -max_threads_per_block=128"):
        small = tir.transform.DefaultGPUSchedule()(model)
        again = tir.transform.DefaultGPUSchedule()(bound)
    assert "T.thread_binding(T.int64(128)" in small.script() and "1024" not in small.script()
    tvm.ir.assert_structural_equal(again, bound)


def test_the_default_schedule_needs_threads(model):
    with pytest.raises(ValueError, match="no target is in scope"):
        tir.transform.DefaultGPUSchedule()(model)
    with tvm.target.Target("llvm"), pytest.raises(TVMError, match="a target with threads"):
        tir.transform.DefaultGPUSchedule()(model)
