"""Modules and forms that programs of 2024 use, by what they do."""

import subprocess
import sys

import numpy as np
import pytest

import tilewright as tvm
from tilewright import relax, tir
from tilewright.compat.absent import Absent, reason_for
from tilewright.contrib import cc, tar, tvmjs, utils
from tilewright.ir import EnvFunc, GlobalVarSupply, NameSupply, Op, PrimType, register_op_attr
from tilewright.ir.transform import ApplyPassToFunction, ModulePass, PassContext, module_pass
from tilewright.relax.ir.instrument import WellFormedInstrument
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T
from tilewright.target import Target, generic_func


@I.ir_module
class Plus:
    @T.prim_func
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.float32(1)

    @R.function(pure=False)
    def checked(x: R.Tensor(("n",), "float32"), holds: R.Tensor((), "bool")):
        n = T.int64()
        _ = R.assert_op(holds, format="not enough")
        return R.shape([n, 3])


def test_struct_infos_are_made_in_plain_python():
    n = tir.Var("n", "int64")
    unknown = relax.TensorStructInfo((2, 3), "")
    assert tvm.ir.structural_equal(R.Tensor((2, 3)), unknown) and unknown.dtype == ""
    for found, expected in (
        (R.Tensor("float32", ndim=2), relax.TensorStructInfo(None, "float32", ndim=2)),
        (R.Tensor([n, 4], "float16"), relax.TensorStructInfo([n, 4], "float16")),
        (R.Shape([n, 2]), relax.ShapeStructInfo([n, 2])),
        (R.Tuple(R.Tensor((1,), "int8"), R.Object()), None),
        (R.Prim("int64"), relax.PrimStructInfo("int64")),
        (R.Callable((R.Object(),), R.Object()), relax.FuncStructInfo([R.Object()], R.Object())),
    ):
        assert isinstance(found, relax.StructInfo)
        assert expected is None or tvm.ir.structural_equal(found, expected)
    assert isinstance(relax.Var("x", R.Tensor).struct_info, relax.TensorStructInfo)
    with pytest.raises(ValueError, match="list of dimensions"):
        relax.Var("x", R.Tensor(5))
    with pytest.raises(tvm.TVMError, match="can only have dtype of int64"):
        relax.ShapeExpr([tir.Var("m", "int32"), 3])


def test_instruments_and_contexts_take_all_keywords():
    instrument = WellFormedInstrument(check_struct_info=True, validate_before_transform=False)
    stack = [object()]
    with PassContext(instruments=[instrument], trace_stack=stack, make_traceable=["Normalize"], num_evals=2) as context:
        context.inc_num_evals(3)
        assert (context.num_evals, context.get_trace_stack_size(), context.get_current_trace()) == (5, 1, stack[0])
        assert context.pop_trace() is stack[0] and context.get_tuning_api_database() is None
        relax.transform.Normalize()(Plus)


def test_a_pass_that_breaks_a_module_is_an_assertion_error():
    free = relax.Var("free", R.Tensor((2,), "float32"))

    @module_pass(opt_level=0, name="Breaks")
    def breaks(module, context):
        return tvm.IRModule({"main": relax.Function([], relax.SeqExpr([], free), R.Tensor((2,), "float32"))})

    with PassContext(instruments=[WellFormedInstrument()]), pytest.raises(AssertionError, match="not well-formed"):
        breaks(Plus)


def test_passes_of_classes_are_instances_of_them():
    @module_pass(opt_level=0, name="Mine")
    class Mine(tvm.transform.Pass):
        def __init__(self, times):
            self.times = times

        def transform_module(self, module, context):
            return module.with_attr("times", self.times)

    made = Mine(times=3)
    assert isinstance(made, Mine) and isinstance(made, ModulePass) and made.times == 3 and made.info.name == "Mine"
    assert made(Plus).attrs["times"] == 3
    only = ApplyPassToFunction(tir.transform.Simplify(), "ad.*")(Plus)
    assert tvm.ir.structural_equal(only["checked"], Plus["checked"])


def test_executables_have_the_methods_of_modules(tmp_path):
    lib = tvm.build(Plus, target="llvm")
    assert "define" in lib.get_source() and ".text" in lib.get_source("asm")
    assert lib.implements_function("add") and not lib.implements_function("sub") and lib.imported_modules == []
    lib.export_library(str(tmp_path / "lib.so"), fcompile=cc.create_shared)
    with pytest.raises(tvm.TVMError, match="no source"):
        tvm.runtime.load_module(str(tmp_path / "lib.so")).get_source()
    single = tvm.build(Plus["add"])
    out = np.zeros(4, "float32")
    single[single.entry_name](np.ones(4, "float32"), out)
    assert out.tolist() == [2.0] * 4 and tvm.build(tvm.lower(Plus["add"], name="f")).implements_function("add")


def test_shapes_and_assertions_of_a_machine():
    machine = relax.VirtualMachine(tvm.build(Plus), tvm.cpu())
    shape = machine["checked"](np.zeros(5, "float32"), np.array(True))
    assert isinstance(shape, tvm.runtime.ShapeTuple) and shape == [5, 3] and shape != [5, 4]
    with pytest.raises(AssertionError, match="Assertion Failed: not enough"):
        machine["checked"](np.zeros(5, "float32"), np.array(False))


def test_programs_of_the_machine_are_written_step_by_step():
    tvm.register_func("test.sum", lambda a, b: tvm.nd.array(a.numpy() + b.numpy()), override=True)
    builder = relax.ExecBuilder()
    with builder.function("pick", num_inputs=3):
        builder.emit_if(builder.r(0), 3)
        builder.emit_call("test.sum", [builder.r(1), builder.r(2)], builder.r(3))
        builder.emit_goto(2)
        builder.emit_call("test.sum", [builder.r(1), builder.r(1)], builder.r(3))
        builder.emit_ret(builder.r(3))
    with builder.function("main", num_inputs=1):
        yes = builder.c(tvm.nd.array(np.array(True)))
        builder.emit_call("pick", [yes, builder.r(0), tvm.nd.array(np.ones(2))], builder.r(1))
        builder.emit_ret(builder.r(1))
    machine = relax.VirtualMachine(builder.get(), tvm.cpu())
    a, b = np.array([1.0, 2.0]), np.array([5.0, 5.0])
    assert machine["pick"](True, a, b).tolist() == [6, 7] and machine["pick"](False, a, b).tolist() == [2, 4]
    assert machine["main"](a).tolist() == [2, 3]
    wrong = relax.ExecBuilder()
    with wrong.function("f", num_inputs=1):
        wrong.emit_ret(wrong.r(7))
    with pytest.raises(tvm.TVMError, match="register 7"):
        wrong.get()


def test_tensors_are_viewed_shared_and_saved():
    tensor = tvm.nd.array(np.arange(6, dtype="float32"))
    shared = tvm.nd.from_dlpack(tensor.to_dlpack())
    shared[0] = 7
    assert tensor[0].item() == 7 and tensor._create_view([2, 3]).shape == (2, 3)
    np.testing.assert_array_equal(
        tensor._create_view([2], "int32", 8).numpy(), np.array([2, 3], "float32").view("int32")
    )
    for shape, dtype, offset in (([7], None, 0), ([2], "float64", 4), ([1 << 62], None, 0)):
        with pytest.raises(tvm.TVMError):
            tensor._create_view(shape, dtype, offset)
    params = {"a": tensor, "b": np.array([True, False]), "c": tvm.nd.array([1.5], dtype="bfloat16"), "d": np.ones(())}
    data = tvm.runtime.save_param_dict(params)
    found = tvm.runtime.load_param_dict(data)
    assert [(name, one.dtype, one.shape) for name, one in found.items()] == [
        ("a", "float32", (6,)), ("b", "bool", (2,)), ("c", "bfloat16", (1,)), ("d", "float64", ()),
    ]  # fmt: skip
    np.testing.assert_array_equal(found["a"].numpy(), tensor.numpy())
    for end in range(0, len(data), 7):
        with pytest.raises(tvm.TVMError):
            tvm.runtime.load_param_dict(data[:end])


def test_operators_have_attributes():
    add = Op.get("relax.add")
    register_op_attr("relax.add", "test.of_2024", 5)
    assert add.get_attr("test.of_2024") == 5 and add.get_attr("FPurity") is True and not add.has_attr("test.other")
    add.set_attr("test.of_2024", 6, plevel=11)
    with pytest.raises(tvm.TVMError, match="level 11"):
        add.set_attr("test.of_2024", 7, plevel=11)
    assert add.get_attr("test.of_2024") == 6
    add.reset_attr("test.of_2024")
    assert not add.has_attr("test.of_2024")


def test_names_are_supplied():
    supply = NameSupply("p")
    assert [supply.fresh_name(name) for name in ("a", "a", "a.b", "a_b")] == ["p_a", "p_a_1", "p_a_b", "p_a_b_1"]
    assert supply.contains_name("a") and not supply.contains_name("a", False)
    variables = GlobalVarSupply(Plus)
    assert variables.fresh_global("add").name_hint == "add_1"
    assert variables.unique_global_for("add").name_hint == "add"
    assert EnvFunc.get("vm.builtin.shape_of").name == "vm.builtin.shape_of"
    assert tir.Var("x", PrimType("int64")).dtype == "int64"


def test_the_target_in_scope_chooses_a_function():
    @generic_func
    def which():
        return "any"

    which.register("gpu", lambda: "gpu")
    assert which() == "any"
    with Target("cuda"):
        assert which() == "gpu"
    with Target("llvm"):
        assert which() == "any"


TARGETS = [
    ("llvm -num-cores 16", "num-cores", 16),
    ("llvm --num-cores=1", "num-cores", 1),
    ("llvm -mcpu=core-avx2", "mcpu", "core-avx2"),
    ("cuda", "max_threads_per_block", 1024),
    ("cuda -max_num_threads=256", "max_threads_per_block", 256),
    ("metal", "thread_warp_size", 16),
    ("nvidia/geforce-rtx-3090-ti", "arch", "sm_86"),
    ("apple/m1-gpu", "max_threads_per_block", 1024),
    ("llvm -mtriple=riscv64-unknown-linux-gnu -mattr=+m", "mtriple", "riscv64-unknown-linux-gnu"),
    ("llvm -system-lib", "system-lib", True),
]


@pytest.mark.parametrize(("text", "name", "value"), TARGETS)
def test_targets_have_attributes(text, name, value):
    target = Target(text)
    assert target.attrs[name] == value and Target(target.export()) == target


def test_levels_of_an_architecture_are_features():
    target = Target("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.2a,+dotprod")
    assert target.features.has_dotprod and "v8.2a" in target.features and not target.features.has_sve
    assert Target("metal") != Target("vulkan")
    for name in ("metal", "llvm -mtriple=riscv64-unknown-linux-gnu"):
        with pytest.raises(tvm.TVMError, match=r"not built|no code is made"):
            tvm.build(Plus, target=name)


def test_devices_are_named_by_targets():
    assert tvm.device("llvm", 0) == tvm.cpu(0) and tvm.device("llvm -mcpu=haswell") == tvm.cpu()
    assert tvm.device(1, 2) == tvm.cpu(2) and tvm.opencl(1) == tvm.device("opencl:1") and not tvm.opencl().exist
    with pytest.raises(tvm.TVMError, match="does not exist"):
        tvm.opencl().sync()


def test_tools_around_the_compiler(tmp_path):
    folder = utils.tempdir()
    path = folder.relpath("a.txt")
    with open(path, "w") as file:
        file.write("text")
    tar.tar(folder.relpath("a.tar"), [path])
    tar.untar(folder.relpath("a.tar"), str(tmp_path))
    assert (tmp_path / "a.txt").read_text() == "text"
    folder.remove()
    assert not folder.path.exists()
    weights = {"w": np.arange(6, dtype="float32").reshape(2, 3), "i": np.arange(3, dtype="int32")}
    tvmjs.dump_ndarray_cache(weights, str(tmp_path), encode_format="raw", meta_data={"n": 1})
    found, said = tvmjs.load_ndarray_cache(str(tmp_path), tvm.cpu())
    assert said == {"n": 1} and all(np.array_equal(found[name].numpy(), weights[name]) for name in weights)


def test_rules_schedule_for_the_target_in_scope():
    dlight = tvm.dlight
    passed = dlight.ApplyDefaultSchedule(dlight.gpu.Matmul(), dlight.gpu.Fallback())
    with Target("cuda"):
        loops = passed(Plus)["add"].script()
    assert 'thread="blockIdx.x"' in loops and 'thread="threadIdx.x"' in loops and "is_scheduled" in loops
    with Target("llvm"):
        assert passed(Plus)["add"].script() == Plus["add"].script()


def test_absent_modules_are_imported_and_refuse_their_use(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import tilewright.compat.tvm\n"
        "import tvm\n"
        "from tvm import relay\n"
        "from tvm.contrib.hexagon.session import Session\n"
        "import tvm.relax.op.nn.nn\n"
        "try:\n    relay.var('x')\n"
        "except tvm.TVMError as error:\n    print(error)\n"
        "try:\n    import tvm.nothing_of_this_name\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "Relay is not read" in done.stdout and "nothing_of_this_name" in done.stdout
    assert isinstance(relax.transform.FewShotTuning, Absent) or callable(relax.transform.FewShotTuning)
    assert reason_for("relay.frontend") and reason_for("nothing") is None


@pytest.mark.parametrize("name", ["dot_16x4_vnni", "dot_16x4_avx512"])
def test_a_tensor_intrinsic_computes_what_it_describes(name, rng):
    from tilewright.tir.tensor_intrin import cuda, x86

    assert name in (x86.VNNI_DOT_16x4_INTRIN, x86.AVX512_DOT_16x4_INTRIN)
    group = cuda.get_wmma_intrin_group("shared.dyn", "global", "float16", "float32", True)
    assert group["load_b"] == cuda.WMMA_LOAD_16x16x16_F16_B_TRANS_DYN_INTRIN

    @T.prim_func
    def product(A: T.Buffer((8, 32), "uint8"), B: T.Buffer((2, 8, 16, 4), "int8"), C: T.Buffer((8, 32), "int32")):
        for i, j, k in T.grid(8, 32, 32):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0
                C[vi, vj] = C[vi, vj] + T.cast(A[vi, vk], "int32") * T.cast(
                    B[vj // 16, vk // 4, vj % 16, vk % 4], "int32"
                )

    sch = tir.Schedule(product)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    _, ji = sch.split(j, [None, 16])
    ko, ki = sch.split(k, [None, 4])
    sch.reorder(i, _, ko, ji, ki)
    sch.decompose_reduction(block, ko)
    sch.tensorize(ji, name)
    a = rng.integers(0, 255, (8, 32), dtype="uint8")
    b = rng.integers(-128, 127, (2, 8, 16, 4), dtype="int8")
    c = np.zeros((8, 32), "int32")
    tvm.build(sch.mod)(a, b, c)
    columns = b.transpose(0, 2, 1, 3).reshape(32, 32).astype("int64")
    np.testing.assert_array_equal(c, a.astype("int64") @ columns.T)


def test_choices_are_traced_measured_and_recorded(tmp_path):
    from tilewright.relax.transform import tuning_api as api

    tvm.register_func("test.mark", lambda mod, mark: mod.with_attr("mark", mark), override=True)
    only = tvm.IRModule({"main": relax_main})
    knob = api.Knob("marks", {"one": api.Choice("test.mark", [1]), "none": api.Choice()})
    trace = api.Trace(only, [knob], ["one"])
    again = api.Trace.from_json(trace.as_json())
    assert trace.out_mod.attrs["mark"] == again.out_mod.attrs["mark"] == 1 and again.knobs == [knob]
    with pytest.raises(ValueError, match="no choice `two`"):
        trace.add(knob, "two")
    candidates = api.default_generate_candidate([knob, knob], api.Trace(only))
    assert len(candidates) == 4
    paths = [tmp_path / name for name in ("workloads", "records", "measurements")]
    database, target = api.JSONDatabase(*paths), Target("llvm")
    with PassContext(trace=api.Trace(only), make_traceable=["Normalize"], tuning_api_database=database) as context:
        relax.transform.FoldConstant()(relax.transform.Normalize()(only))
        assert [one.name for one in context.get_current_trace().knobs] == ["Normalize"]
        api.default_evaluate(candidates, "llvm")
        assert context.num_evals == 2, "equal modules are measured once"
    assert api.select_best_candidate(candidates).perf == min(one.perf for one in candidates) < 1
    workload = database.commit_workload(only)
    for seconds in ([3.0], [1.0, 2.0]):
        database.commit_tuning_record(workload, target, api.TuningRecord(trace, seconds))
    other = api.JSONDatabase(*paths)
    found = other.get_top_k(other.commit_workload(only), target, 1)
    assert [record.run_secs for record in found] == [[1.0, 2.0]] and found[0].trace.out_mod.attrs["mark"] == 1


@R.function
def relax_main(x: R.Tensor((4,), "float32")):
    return R.add(x, R.const(1, "float32"))


def test_operators_take_the_short_forms_of_python():
    x, device = relax.Var("x", R.Tensor((1, 2, 4, 4), "float32")), tvm.ir.VDevice("llvm")
    n = tir.Var("n", "int64")
    bb = relax.BlockBuilder()
    for size, expected in ((8, (8, 8)), (n, (n, n)), ((3, 5), (3, 5))):
        resized = bb.normalize(relax.op.image.resize2d(x, size))
        assert tvm.ir.structural_equal(resized.struct_info, R.Tensor((1, 2, *expected), "float32"))
    for moved in (relax.op.to_vdevice(x, device), relax.op.hint_on_device(x, dst_vdevice=tvm.cpu())):
        vdevice = bb.normalize(moved).struct_info.vdevice
        assert (vdevice.target.kind.name, vdevice.vdevice_id, vdevice.memory_scope) == ("llvm", 0, "global")
    with pytest.raises(tvm.TVMError, match="must be a device, found the integer 3"):
        relax.op.to_vdevice(x, 3)


def test_a_target_in_a_script_is_a_target_however_it_is_written():
    def annotated(target):
        @T.prim_func
        def fill(A: T.Buffer((8,), "int32")):
            T.func_attr({"target": T.target(target)})
            for i in T.thread_binding(8, thread="threadIdx.x"):
                A[i] = i

        return tir.transform.AnnotateDeviceRegions()(tvm.IRModule({"fill": fill}))["fill"]

    host = {"kind": "llvm", "mcpu": "haswell"}
    options = annotated({"kind": "cuda", "arch": "sm_80", "keys": ["cuda", "gpu"], "host": host})
    text = annotated("cuda -arch=sm_80 -keys=cuda,gpu -host='llvm -mcpu=haswell'")
    tvm.ir.assert_structural_equal(options, text)
    target = options.attrs["target"]
    assert (target.arch, target.host.mcpu) == ("sm_80", "haswell")
