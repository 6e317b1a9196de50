"""Small programs as they are written for `import tvm`, by kinds: intrinsics as functions, layouts, attributes, scalars
as operands of tensors, devices of a module, printed parts."""

import numpy as np
import pytest

import tilewright as tvm
from tilewright import relax, te, tir
from tilewright.ir import assert_structural_equal
from tilewright.script import from_source
from tilewright.script import relax as R

HEADER = "from tvm.script import ir as I, relax as R, tir as T\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tvm_struct_get", ("h", 1, 2, "int32")),
        ("tvm_struct_set", ("h", 1, 2, 3)),
        ("tvm_stack_make_shape", (1, 2)),
        ("tvm_load_matrix_sync", ("h", 16, 16, 16, 0, "h", 128, "row_major")),
        ("tvm_mma_sync", ("h", 0, "h", 0, "h", 0, "h", 0)),
        ("ptx_ldmatrix", ("float16", False, 4, ".b16", "h", 0, "h", 0)),
        ("ptx_cp_async", ("float16", "h", 0, "h", 0, 16)),
        ("ptx_commit_group", ()),
        ("TVMBackendAllocWorkspace", (1, 0, 64, 2, 32)),
        ("anylist_getitem", ("h", 1)),
        ("type_annotation", ("float32",)),
    ],
)
def test_an_intrinsic_is_a_function(name, arguments):
    handle = tir.Var("h", "handle")
    call = getattr(tir, name)(*(handle if one == "h" else one for one in arguments))
    assert isinstance(call, tir.Call) and call.op.name == f"tir.{name}"


def test_an_intrinsic_refuses_what_it_does_not_take():
    with pytest.raises(TypeError, match="tvm_mma_sync"):
        tir.tvm_mma_sync(1, 2)
    with pytest.raises(TypeError, match="no_such"):
        tir.ptx_wait_group(1, no_such=2)


def test_halves_of_vectors_are_their_lanes():
    vector = tir.Var("v", "int8x8")
    low, high = tir.vectorlow("int8x4", vector), tir.vectorhigh("int8x4", vector)
    assert [int(one) for one in low.indices] == [0, 1, 2, 3] and [int(one) for one in high.indices] == [4, 5, 6, 7]
    assert tir.vectorcombine("int8x16", vector, vector).dtype == "int8x16"
    with pytest.raises(ValueError, match="int8x4, not int8x2"):
        tir.vectorlow("int8x2", vector)


def test_calls_of_packed_functions_have_their_names():
    for made, name in ((tir.call_cpacked, "tvm_call_cpacked"), (tir.call_packed_lowered, "tvm_call_packed_lowered")):
        call = made("f", 1)
        assert call.op.name == f"tir.{name}" and call.op == tvm.ir.Op.get(f"tir.{name}")


def test_a_function_of_the_module_is_called_by_its_global_var():
    call = tir.call_tir(tvm.ir.GlobalVar("f"), 1)
    assert isinstance(call.op, tvm.ir.GlobalVar) and call.op.name_hint == "f"


def test_layouts_map_indices_and_shapes():
    layout = tir.layout("NCHW16c")
    assert (len(layout), layout.index_of("c"), layout.factor_of("C"), layout.factor_of("N")) == (5, 4, 16, -1)
    assert "C" in layout and "D" not in layout and layout[1] == "C"
    both = tir.bijective_layout("NCHW", layout)
    assert list(both.forward_shape([1, 33, 7, 7])) == [1, 3, 7, 7, 16]
    assert list(both.backward_shape([1, 2, 7, 7, 16])) == [1, 32, 7, 7]
    assert list(both.forward_index([0, 17, 6, 5])) == [0, 1, 6, 5, 1]
    assert list(both.backward_index([0, 1, 6, 5, 1])) == [0, 17, 6, 5]
    for wrong in ("NCHWN", "4c", "nchw"):
        with pytest.raises(tvm.TVMError):
            tir.layout(wrong)
    with pytest.raises(tvm.TVMError):
        tir.bijective_layout("NC", "NH")


def test_the_target_of_a_function_is_a_target():
    target = tvm.target.Target("cuda", host="llvm")
    function = from_source(HEADER + "@T.prim_func\ndef f(A: T.Buffer((4,), 'float32')):\n    A[0] = 1.0")
    bound = tir.transform.BindTarget(target)(tvm.IRModule({"f": function}))["f"]
    assert isinstance(bound.attrs["target"], tvm.target.Target)
    assert_structural_equal(bound.attrs["target"], target)
    assert bound.attrs["target"].kind.name == "cuda" and bound.attrs["target"].host.kind.name == "llvm"
    with pytest.raises(ValueError, match="StructuralEqual"):
        assert_structural_equal(bound.attrs["target"], tvm.target.Target("llvm"))


def test_numbers_of_attributes_have_values():
    function = from_source(HEADER + "@R.function\ndef f(x: R.Tensor((4,))):\n    R.func_attr({'n': 3})\n    return x")
    n = function.attrs["n"]
    assert n == 3 and n.value == 3 and n.dtype == "int32" and isinstance(n, int)
    x = relax.Var("x", R.Tensor((1, 3, 8, 8), "float32"))
    conv = relax.op.nn.conv2d(x, relax.Var("w", R.Tensor((4, 3, 3, 3), "float32")), padding=(1, 2))
    assert [one.value for one in conv.attrs.padding] == [1, 2, 1, 2]


def test_a_function_returns_what_its_ret_says():
    function = from_source(HEADER + "@T.prim_func\ndef f(x: T.int32) -> T.int64:\n    T.ret(T.Cast('int64', x))")
    assert function.ret_type == tvm.ir.PrimType("int64")
    assert tir.PrimFunc(function.params, function.body, function.ret_type).ret_type.dtype == "int64"
    nothing = from_source(HEADER + "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    A[0] = 1.0")
    assert nothing.ret_type == tvm.ir.TupleType([])


OPERANDS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "less": np.less, "subtract": np.subtract}


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize("on_left", [False, True])
def test_a_scalar_is_an_operand_of_a_tensor(name, on_left):
    values = np.array([[-1.5, 2.0, 3.25]], "float32")
    x, two = relax.Var("x", R.Tensor((1, 3), "float32")), relax.PrimValue(tir.FloatImm("float32", 2.0))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(getattr(relax.op, name)(*((two, x) if on_left else (x, two))))
    module = relax.transform.LegalizeOps()(bb.get())
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
    expected = OPERANDS[name](*((2.0, values) if on_left else (values, 2.0)))
    np.testing.assert_array_equal(machine["main"](tvm.nd.array(values)).numpy(), expected)


def test_scalars_give_scalars_and_types_must_agree():
    y, x = relax.Var("y", R.Prim("float32")), relax.Var("x", R.Tensor((2, 3), "float16"))
    assert_structural_equal(relax.op.add(y, y).struct_info, relax.PrimStructInfo("float32"))
    assert_structural_equal(relax.op.equal(y, y).struct_info, relax.PrimStructInfo("bool"))
    with pytest.raises(tvm.TVMError):
        relax.op.add(x, y)


DEVICES = (
    HEADER
    + """
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]})
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            x0 = R.hint_on_device(x, cpu)
            z = R.add(x0, y)
            there = R.hint_on_device(z, I.vdevice("cuda", 0))
            out = R.multiply(there, there)
            R.output(out)
        return out
"""
)


def test_hints_become_devices():
    made = relax.transform.RealizeVDevice()(from_source(DEVICES, {"cpu": tvm.cpu()}))["main"]
    assert [param.struct_info.vdevice.target.kind.name for param in made.params] == ["llvm", "llvm"]
    values = [binding.value for binding in made.body.blocks[0].bindings]
    copies = [value for value in values if isinstance(value, relax.Call) and value.op.name == "relax.to_vdevice"]
    assert len(copies) == 1 and made.ret_struct_info.vdevice.target.kind.name == "cuda"
    assert not any(isinstance(value, relax.Call) and value.op.name == "relax.hint_on_device" for value in values)


def test_a_device_of_the_module_is_replaced():
    module = relax.transform.RealizeVDevice()(from_source(DEVICES, {"cpu": tvm.cpu()}))
    made = relax.transform.UpdateVDevice(tvm.ir.VDevice("opencl", 2), 1)(module)
    listed = [(one.target.kind.name, one.vdevice_id) for one in made.global_infos["vdevice"]]
    assert listed == [("llvm", 0), ("opencl", 2)]
    assert made["main"].ret_struct_info.vdevice.target.kind.name == "opencl"
    assert "cuda" not in made.script()
    with pytest.raises(tvm.TVMError, match="names 2 devices"):
        relax.transform.UpdateVDevice(tvm.ir.VDevice("llvm"), 5)(module)


def test_tensors_of_a_tuple_lie_on_one_device():
    device = tvm.ir.VDevice("llvm")
    x = relax.Var("x", R.Tensor((2, 3), "float32", device))
    assert relax.op.concat([x, x], 0).struct_info.vdevice == device
    with pytest.raises(tvm.TVMError, match="different devices"):
        relax.op.concat([x, relax.Var("y", R.Tensor((2, 3), "float32", tvm.ir.VDevice("cuda")))], 0)


def test_nested_calls_are_not_well_formed():
    x = relax.Var("x", R.Tensor((2, 3), "float32"))
    nested = relax.Function([x], relax.SeqExpr([], relax.op.add(x, relax.op.add(x, x))), R.Tensor(ndim=2))
    assert not relax.analysis.well_formed(tvm.IRModule({"f": nested}))
    bb = relax.BlockBuilder()
    with bb.function("f", [x]):
        bb.emit_func_output(relax.op.add(x, relax.op.add(x, x)))
    assert relax.analysis.well_formed(bb.get())


def test_a_function_takes_in_what_it_calls():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @R.function
    def caller(x: R.Tensor((2,), "float32")):
        y = Module.main(x)
        return y
    @R.function
    def main(a: R.Tensor((2,), "float32")):
        b = R.add(a, a)
        return b
"""
    )
    inlined = module["caller"].inline_functions({"main": module["main"]})
    calls = [binding.value for block in inlined.body.blocks for binding in block.bindings]
    assert [call.op.name for call in calls if isinstance(call, relax.Call)] == ["relax.add"]
    assert inlined.attrs["global_symbol"] == "caller"


def test_masked_fill_is_where():
    values, mask = np.arange(4, dtype="float32"), np.array([True, False, True, False])
    x, m = relax.Var("x", R.Tensor((4,), "float32")), relax.Var("m", R.Tensor((4,), "bool"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, m]):
        bb.emit_func_output(bb.emit(relax.op.masked_fill(x, m, -1)))
    machine = relax.VirtualMachine(relax.build(bb.get(), "llvm"), tvm.cpu())
    got = machine["main"](tvm.nd.array(values), tvm.nd.array(mask)).numpy()
    np.testing.assert_array_equal(got, np.where(mask, -1, values))


def test_weights_are_computable_at_compile_time():
    function = from_source(
        HEADER
        + """
@R.function
def f(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
    R.func_attr({"num_input": 1})
    v = R.add(w, w)
    y = R.add(x, v)
    return y
"""
    )
    assert [var.name_hint for var in relax.analysis.computable_at_compile_time(function)] == ["w", "v"]
    assert relax.analysis.computable_at_compile_time(function.without_attr("num_input")) == []


def test_handles_without_buffers_are_objects_of_a_graph():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        T.evaluate(0)
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        R.func_attr({"relax.force_pure": True})
        y = R.builtin.alloc_tensor(R.shape([2, 4]), dtype="float32", runtime_device_index=0)
        _ = Module.kernel(x, y)
        return y
"""
    )
    planned = relax.transform.AttachGlobalSymbol()(module)
    assert planned["kernel"].attrs["global_symbol"] == "kernel"
    with pytest.raises(tvm.TVMError, match="parameter `a` is handle"):
        relax.build(module, "llvm")


def test_a_convolution_is_fused_to_the_axes_of_a_product():
    x, w = te.placeholder((1, 16, 16, 32), "float16", "x"), te.placeholder((64, 3, 3, 32), "float16", "w")
    rh, rw, rc = (te.reduce_axis((0, extent), name) for extent, name in ((3, "rh"), (3, "rw"), (32, "rc")))
    conv = te.compute(
        (1, 14, 14, 64),
        lambda n, h, i, c: te.sum(
            x[n, h + rh, i + rw, rc].astype("float32") * w[c, rh, rw, rc].astype("float32"), axis=[rh, rw, rc]
        ),
        name="conv",
    )
    description = from_source(
        HEADER
        + """
@T.prim_func
def description(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (16, 16), "float16", offset_factor=16)
    B = T.match_buffer(b, (16, 16), "float16", offset_factor=16)
    C = T.match_buffer(c, (16, 16), "float32", offset_factor=16)
    with T.block("root"):
        T.reads(C[0:16, 0:16], A[0:16, 0:16], B[0:16, 0:16])
        T.writes(C[0:16, 0:16])
        for i, j, k in T.grid(16, 16, 16):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vj, vk])
"""
    )
    from tilewright.tir.schedule.analysis import get_auto_tensorize_mapping_info

    sch = tir.Schedule(te.create_prim_func([x, w, conv]))
    info = get_auto_tensorize_mapping_info(sch, sch.get_block("conv"), description)
    [mapping] = info.mappings
    expected = tir.IndexMap.from_func(
        lambda n, h, i, c, rh, rw, rc: (n * 196 + h * 14 + i, c, rh * 96 + rw * 32 + rc), index_dtype="int32"
    )
    assert mapping.is_equivalent_to(expected)


def test_buffers_are_printed_by_their_names():
    function = from_source(
        HEADER
        + """
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (4,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    B[0] = A[1]
"""
    )
    assert function.script().splitlines()[3:] == [
        'def f(A: T.Buffer((4,), "float32"), b: T.handle):',
        "    n = T.int32()",
        "    B = T.match_buffer(b, (n,))",
        "    B[0] = A[1]",
    ]
    assert_structural_equal(from_source(function.script()), function)


def test_parts_are_printed_with_what_they_use():
    source, view = tir.decl_buffer((128, 128), name="src"), tir.decl_buffer((64, 64), name="tgt")
    matched = tir.MatchBufferRegion(view, tir.BufferRegion(source, [tvm.ir.Range(64, 128), tvm.ir.Range(64, 128)]))
    assert matched.script(verbose_expr=True) == (
        "src = T.Buffer((128, 128))\ntgt = T.match_buffer(src[64:128, 64:128], (64, 64))"
    )
    x = tir.Var("x", "int64")
    a = relax.Var("a", R.Tensor((1, x), "float32"))
    call = relax.op.call_tir(relax.GlobalVar("f"), [a], out_sinfo=a.struct_info, tir_vars=[x])
    assert call.script() == 'R.call_tir(f, (a,), out_sinfo=R.Tensor((1, x), dtype="float32"), tir_vars=R.shape([x]))'
    assert tvm.ir.Op.get("tir.sin").script() == 'I.Op("tir.sin")'
    assert str(tvm.ir.PointerType(tvm.ir.PrimType("int32"), "global")) == 'T.handle("int32", "global")'
    a, b = tir.Var("a", "int32"), tir.Var("b", "int32")
    assert str(tir.Div(a, b)) == "T.Div(a, b)"


def test_comparisons_with_two_bounds_are_one():
    x, y, z = (tir.Var(name, "int32") for name in "xyz")
    simplify = tvm.arith.Analyzer().rewrite_simplify
    for given, expected in (
        (tir.Or(x <= 3, x < 5), x < 5),
        (tir.And(x < 5, x <= 3), x <= 3),
        (tir.And(x >= 0, tir.Or(x < 0, y < 5)), tir.And(tir.LE(0, x), y < 5)),
        (tir.Or(tir.NE(x, 1), tir.EQ(x, 2)), tir.NE(x, 1)),
        (tir.LT(tir.floordiv(x, 4) * 4, x), tir.LT(0, tir.floormod(x, 4))),
        (
            tir.min(tir.Select(x < 0, y, 0), tir.Select(x < 0, 1, z)),
            tir.Select(x < 0, tir.min(y, 1), tir.min(z, 0)),
        ),
    ):
        assert_structural_equal(simplify(given), expected)


def test_a_built_function_gives_the_value_that_it_returns():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @T.prim_func
    def total(a: T.int32, b: T.int32) -> T.int32:
        T.ret(a + b)
    @T.prim_func
    def first_positive(A: T.Buffer((4,), "float32")) -> T.float32:
        for i in range(4):
            if A[i] > 0.0:
                T.ret(A[i])
        T.ret(T.float32(-1))
    @T.prim_func
    def fill(A: T.Buffer((4,), "float32")):
        A[0] = 7.0
        T.ret(0)
"""
    )
    built = tvm.build(module, target="llvm")
    assert built["total"](2, 40) == 42 and built.get_function("total")(-1, 1) == 0
    values = tvm.nd.array(np.array([-1, 0, 2.5, 3], "float32"))
    assert built["first_positive"](values) == 2.5
    assert built["first_positive"](tvm.nd.array(np.zeros(4, "float32"))) == -1.0
    assert built["fill"](values) == 0 and values.numpy()[0] == 7.0
    alone = tvm.build(tvm.IRModule({"total": module["total"]}), target="llvm")
    assert alone(1, 2) == 3
    with pytest.raises((TypeError, tvm.TVMError)):
        alone(1)


RETURNING = """
@I.ir_module
class Module:
    @T.prim_func
    def holds(x: T.int32) -> T.bool:
        T.ret(x > 3)
    @T.prim_func
    def never() -> T.bool:
        T.ret(T.bool(False))
    @T.prim_func
    def find(A: T.Buffer((4,), "int64"), x: T.int64) -> T.int32:
        for i in range(4):
            if A[i] == x:
                T.ret(i)
    @T.prim_func
    def half(x: T.float16) -> T.float16:
        T.ret(x * T.float16(0.5))
    @R.function(pure=False)
    def main(A: R.Tensor((4,), "int64"), x: R.Prim("int64")):
        cls = Module
        at = cls.find(A, x)
        return at
"""


@pytest.mark.parametrize("target", ["llvm", "ext_dev"])
def test_values_that_are_returned_come_back_from_every_form_of_a_program(target, tmp_path):
    device = tvm.cpu() if target == "llvm" else tvm.ext_dev()
    built = relax.build(from_source(HEADER + RETURNING), target)
    built.export_library(tmp_path / "returning.so")
    values = tvm.nd.array(np.array([5, 7, 7, 9]), device)
    for executable in (built, tvm.runtime.load_module(tmp_path / "returning.so")):
        machine = relax.VirtualMachine(executable, device)
        assert machine["holds"](4) is True and machine["holds"](3) is False and machine["never"]() is False
        assert machine["half"](5.0) == 2.5
        assert [machine[name](values, x) for name in ("find", "main") for x in (5, 7, 1)] == [0, 1, None] * 2
        timed = machine.time_evaluator("find", device, number=2)(values, 9)
        assert len(timed.results) == 1


def test_returns_of_several_types_or_of_no_scalar_are_refused():
    text = HEADER + "@T.prim_func\ndef f(x: T.int32):\n    if x > 0:\n        T.ret({})\n    T.ret({})"
    with pytest.raises(tvm.TVMError, match="values of two types, int32 and float32"):
        tvm.build(from_source(text.format("x", "T.float32(1)")), "llvm")
    with pytest.raises(tvm.TVMError, match="of type int32x4"):
        tvm.build(from_source(text.format("T.Broadcast(x, 4)", "T.Broadcast(x, 4)")), "llvm")


def test_the_builder_has_the_operations_of_tir():
    from tilewright.script.ir_builder import tir as builder

    handle = tir.Var("h", "handle")
    for name, arguments in (
        ("tvm_warp_shuffle", (1, 2.0, 3, 32, 32)),
        ("simdgroup_load", (handle, 0, handle, 8)),
        ("make_filled_simdgroup_matrix", (handle, 0, 1.0)),
        ("ptx_commit_group", ()),
    ):
        assert_structural_equal(getattr(builder, name)(*arguments), getattr(tir, name)(*arguments))
    of_type = builder.ptx_cp_async(handle, 0, handle, 0, 16, dtype="float16")
    assert_structural_equal(of_type, tir.ptx_cp_async("float16", handle, 0, handle, 0, 16))


def test_targets_are_brought_into_one_form():
    target, host = tvm.target.Target.canon_target_and_host("cuda", "llvm")
    assert target.kind.name == "cuda" and target.host.kind.name == host.kind.name == "llvm"
    assert tvm.target.Target.canon_target(None) is None
    assert [one.kind.name for one in tvm.target.Target.canon_multi_target(["llvm", "cuda"])] == ["llvm", "cuda"]
    by_target, host = tvm.target.Target.canon_target_map_and_host({"cuda": 1}, "llvm")
    assert [(one.host.kind.name, item) for one, item in by_target.items()] == [("llvm", 1)]


def test_builtins_of_the_machine_can_be_called():
    from tilewright.relax.testing.runtime_builtin import MakeShapeCode, MatchShapeCode
    from tilewright.runtime.vm_builtins import register_builtins

    register_builtins()

    def builtin(name):
        return tvm.get_global_func(f"vm.builtin.{name}")

    heap = tvm.nd.array(np.arange(10, dtype="int64"))
    use, load = MakeShapeCode.USE_IMM, MakeShapeCode.LOAD_SHAPE
    assert builtin("make_shape")(heap, 3, use, 10, load, 0, load, 2) == (10, 0, 2)
    shape = tvm.runtime.ShapeTuple([2, 3])
    builtin("match_shape")(shape, heap, 2, MatchShapeCode.ASSERT_EQUAL_TO_IMM, 2, MatchShapeCode.STORE_TO_HEAP, 7, "")
    assert heap.numpy()[7] == 3
    with pytest.raises(RuntimeError):
        builtin("match_shape")(shape, heap, 1, MatchShapeCode.NO_OP, 0, "")
    with pytest.raises(RuntimeError):
        builtin("make_shape")(heap, 2, use, 10)
    builtin("check_tensor_info")(heap, 1, "int64", "")
    for wrong, error in (((heap, 2, ""), TypeError), ((shape, 3, ""), ValueError)):
        with pytest.raises(error):
            builtin("check_shape_info")(*wrong)
    assert builtin("tuple_getitem")((shape, heap), 0) == [2, 3]
