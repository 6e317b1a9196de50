"""Passes that a compiler of language models adds in Python: what they read of modules, and the pipeline they form."""

import json

import numpy as np
import pytest
from llm_engine import Engine, random_weights
from llm_llama import LlamaConfig, LlamaForCausalLM
from llm_quantization import group_quantize

import tilewright as tw
from tilewright import IRModule, dlight, ir, relax, te, tir
from tilewright.ir.transform import PassContext, Sequential, module_pass
from tilewright.relax.dpl import PatternContext, rewrite_bindings, rewrite_call
from tilewright.relax.dpl.pattern import GlobalVarPattern, TuplePattern, is_op, wildcard
from tilewright.relax.expr_functor import PyExprMutator, PyExprVisitor, mutator, visitor
from tilewright.relax.frontend.nn.llm.kv_cache import TIRPagedKVCache
from tilewright.runtime import ShapeTuple
from tilewright.script import from_source
from tilewright.script import tir as T
from tilewright.target import Target

SIZES = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window")
LOOP_CALL = "relax.call_tir"


def functions(mod, kind=relax.Function):
    return [(var, func) for var, func in mod.functions_items() if isinstance(func, kind)]


def said_of_the_cache(func):
    """What a function that creates a cache says, from the one call in it."""
    call = func.body.blocks[0].bindings[0].value
    assert call.op == ir.Op.get("relax.call_pure_packed")
    name, sizes, partition, *counts, theta, scaling, factors, rotary, dtype = call.args
    assert name.global_symbol == "mlc.create_paged_kv_cache_generic"
    layers, heads, kv_heads, head_dim, mode, scale = (own.value.value for own in counts)
    assert isinstance(factors, relax.PrimValue) and isinstance(dtype, relax.DataTypeImm)
    return dict(zip(SIZES, sizes.values, strict=True)) | {
        "layer_partition": partition, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": head_dim, "rope_mode": mode, "rope_scale": scale,
        "rope_theta": theta.value.value, "rope_scaling": json.loads(scaling.value), "rope_ext_factors": factors,
        "rotary_dim": rotary.value.value, "dtype": dtype.value,
    }  # fmt: skip


@module_pass(opt_level=0, name="CreateCache")
class CreateCache:
    """Puts a creation by another name in the place of the generic one."""

    def __init__(self, target, about):
        self.target, self.about = target, about

    def transform_module(self, mod, _):
        said = said_of_the_cache(mod["create_paged_kv_cache"])
        self.about["cache"] = {name: said[name] for name in ("num_hidden_layers", "head_dim", "dtype")}
        rest = {var: func for var, func in mod.functions_items() if var.name_hint != "create_paged_kv_cache"}
        bb = relax.BlockBuilder(IRModule(rest))
        params = [relax.Var(f"{name}_", relax.ShapeStructInfo([said[name]])) for name in SIZES]
        with bb.function("create_tir_paged_kv_cache", params):
            bb.emit_func_output(TIRPagedKVCache(target=self.target, **said)._expr)
        return bb.finalize()


@module_pass(opt_level=0, name="AttachFunctions")
class AttachFunctions:
    """Memory for embeddings, a PrimFunc that changes logits, and bounds of sizes."""

    def __init__(self, bounds):
        self.bounds = bounds

    def transform_module(self, mod, _):
        embed = mod["embed"].ret_struct_info
        bb = relax.BlockBuilder(mod)
        with bb.function("alloc_embedding_tensor", []):
            shape = relax.ShapeExpr([64, embed.shape[-1]])
            bb.emit_func_output(bb.emit(relax.op.builtin.alloc_tensor(shape, embed.dtype, runtime_device_index=0)))
        mod = bb.finalize()

        @T.prim_func
        def add_biases(logits: T.handle, rows: T.handle, tokens: T.handle, biases: T.handle):
            T.func_attr({"tir.noalias": True, "tir.is_scheduled": True})
            batch, vocabulary, n = T.int32(is_size_var=True), T.int32(is_size_var=True), T.int32(is_size_var=True)
            L = T.match_buffer(logits, (batch, vocabulary), "float32")
            R = T.match_buffer(rows, (n,), "int32")
            K = T.match_buffer(tokens, (n,), "int32")
            B = T.match_buffer(biases, (n,), "float32")
            for block in T.thread_binding(0, (n + 31) // 32, "blockIdx.x"):
                for thread in T.thread_binding(0, 32, "threadIdx.x"):
                    with T.block("add"):
                        v = T.axis.spatial(n, block * 32 + thread)
                        T.where(block * 32 + thread < n)
                        L[R[v], K[v]] += B[v]

        mod["apply_logit_bias_inplace"] = add_biases
        for var, func in functions(mod):
            bounded = func.with_attr("tir_var_upper_bound", self.bounds)
            mod[var] = bounded.with_attr("relax.memory_plan_dynamic_func_output", True)
        return mod


def sums_and_norms(width, eps, threads, dtype):
    """The sum of two tensors and its norm: threads share a row, and their sums of squares."""
    each = width // threads

    @T.prim_func(private=True)
    def add_norm(a: T.handle, b: T.handle, w: T.handle, norms: T.handle, sums: T.handle):
        T.func_attr({"tir.noalias": True, "tir.is_scheduled": True})
        batch, length = T.int32(), T.int32()
        A = T.match_buffer(a, (batch, length, width), dtype)
        B = T.match_buffer(b, (batch, length, width), dtype)
        W = T.match_buffer(w, (width,), dtype)
        N = T.match_buffer(norms, (batch, length, width), dtype)
        S = T.match_buffer(sums, (batch, length, width), dtype)
        own = T.alloc_buffer((each,), dtype, scope="local")
        squares = T.alloc_buffer((threads,), scope="shared")
        total = T.alloc_buffer((1,), scope="shared")
        for row in T.thread_binding(batch * length, thread="blockIdx.x"):
            for thread in T.thread_binding(threads, thread="threadIdx.x"):
                with T.block("begin"):
                    squares[thread] = T.float32(0)
                for i in range(each):
                    with T.block("add"):
                        r = T.axis.spatial(batch * length, row)
                        c = T.axis.spatial(width, i * threads + thread)
                        own[c // threads] = A[r // length, r % length, c] + B[r // length, r % length, c]
                        S[r // length, r % length, c] = own[c // threads]
                        squares[thread] += T.cast(own[i], "float32") * T.cast(own[i], "float32")
            for thread in T.thread_binding(threads, thread="threadIdx.x"):
                with T.block("total"):
                    t = T.axis.reduce(threads, thread)
                    with T.init():
                        total[0] = T.float32(0)
                    total[0] += squares[t]
            for i in range(each):
                for thread in T.thread_binding(threads, thread="threadIdx.x"):
                    with T.block("norm"):
                        r = T.axis.spatial(batch * length, row)
                        c = T.axis.spatial(width, i * threads + thread)
                        N[r // length, r % length, c] = T.cast(
                            T.cast(S[r // length, r % length, c], "float32")
                            * T.rsqrt(total[0] / T.float32(width) + T.float32(eps))
                            * T.cast(W[c], "float32"),
                            dtype,
                        )

    return add_norm


@module_pass(opt_level=0, name="FuseSums")
class FuseSums:
    """A sum and its norm become one call, which `about` counts."""

    def __init__(self, about):
        self.about = about

    def transform_module(self, mod, _):
        with PatternContext() as context:
            a, b, w = wildcard(), wildcard(), wildcard()
            total = is_op("relax.add")(a, b)
            norm = is_op("relax.nn.rms_norm")(total, w)
        bb, made = relax.BlockBuilder(mod), {}

        def rewrite(found, bindings):
            left, right = found[a].struct_info, found[b].struct_info
            width, eps = int(left.shape[-1]), float(bindings[found[norm]].attrs.epsilon)
            if (width, eps) not in made:
                made[width, eps] = bb.add_func(sums_and_norms(width, eps, 8, left.dtype), "add_norm")
            both = relax.call_tir(made[width, eps], [found[a], found[b], found[w]], out_sinfo=[left, right])
            self.about["sums"] = self.about.get("sums", 0) + 1
            return {found[norm]: relax.TupleGetItem(both, 0), found[total]: relax.TupleGetItem(both, 1)}

        for var, func in functions(mod):
            bb.update_func(var, rewrite_bindings(context, rewrite, func))
        return bb.finalize()


@module_pass(opt_level=0, name="FuseDequantized")
class FuseDequantized:
    """Products and what dequantises their weights become one PrimFunc, found by patterns of calls of PrimFuncs."""

    def transform_module(self, mod, _):
        w = is_op(LOOP_CALL)(GlobalVarPattern(), TuplePattern([wildcard(), wildcard()]), add_constraint=False)
        product = is_op(LOOP_CALL)(GlobalVarPattern(), TuplePattern([wildcard(), w]), add_constraint=False)

        def check(context):
            names = [context.annotated_expr[own].args[0].name_hint for own in ("w", "product")]
            return "dequantize" in names[0] and "matmul" in names[1]

        fused = [("dequantized_product", product, {"w": w, "product": product}, check)]
        return Sequential([relax.transform.FuseOpsByPattern(fused), relax.transform.FuseTIR()])(mod)


@mutator
class Lift(PyExprMutator):
    """Temporaries of PrimFuncs become results of the calls."""

    def transform(self, mod):
        self.lifted = {}
        for var, func in functions(mod, tir.PrimFunc):
            root = func.body.block if isinstance(func.body, tir.BlockRealize) else None
            moved = [own for own in root.alloc_buffers if own.scope() == "global"] if root else []
            if not moved or any(
                isinstance(dim, tir.Var) and dim.dtype != "int64" for own in moved for dim in own.shape
            ):
                continue
            handles = {tir.Var(f"var_{own.name}", "handle"): own for own in moved}
            at = max(i for i, param in enumerate(func.params) if param.dtype == "handle") + 1
            body = tir.Block(root.iter_vars, root.reads, root.writes, root.name_hint, root.body, root.init, [],
                             root.match_buffers, root.annotations)  # fmt: skip
            lifted = tir.PrimFunc(
                [*func.params[:at], *handles, *func.params[at:]],
                tir.BlockRealize(func.body.iter_values, func.body.predicate, body),
                func.ret_type, {**func.buffer_map, **handles}, func.attrs,
            )  # fmt: skip
            self.lifted[var] = self.builder_.add_func(lifted, var.name_hint), func, moved
        for var, func in functions(mod):
            self.builder_.update_func(var, relax.analysis.remove_all_unused(self.visit_expr(func)))
        return relax.transform.DeadCodeElimination()(self.builder_.get())

    def visit_call_(self, call):
        call = self.visit_expr_post_order(call)
        if call.op != ir.Op.get(LOOP_CALL) or call.args[0] not in self.lifted:
            return call
        var, func, moved = self.lifted[call.args[0]]
        (out,) = call.sinfo_args
        several = isinstance(out, relax.TupleStructInfo)
        outs = list(out.fields) if several else [out]
        buffers = [func.buffer_map[param] for param in func.params if param in func.buffer_map]
        infos = [*(own.struct_info for own in call.args[1].fields), *outs]
        known = {
            dim: value
            for own, info in zip(buffers, infos, strict=True)
            for dim, value in zip(own.shape, info.shape.values, strict=True)
            if isinstance(dim, tir.Var)
        }
        shapes = [[tir.stmt_functor.substitute(dim, known) for dim in own.shape] for own in moved]
        temporary = [relax.TensorStructInfo(shape, own.dtype) for shape, own in zip(shapes, moved, strict=True)]
        numbers = call.args[2] if len(call.args) > 2 else None
        made = self.builder_.emit(relax.call_tir(var, call.args[1], [*outs, *temporary], numbers))
        fields = [relax.TupleGetItem(made, at) for at in range(len(outs))]
        return relax.Tuple(fields) if several else fields[0]


@module_pass(opt_level=0, name="LiftTemporaries")
class LiftTemporaries:
    def transform_module(self, mod, _):
        return Lift(mod).transform(mod)


@visitor
class Bytes(PyExprVisitor):
    """Bytes that a function allocates, as far as sizes are numbers."""

    total = 0

    def visit_call_(self, call):
        if call.op == ir.Op.get("relax.builtin.alloc_tensor"):
            dims = [getattr(dim, "value", 0) for dim in call.args[0].values]
            self.total += int(np.prod(dims)) * tw.runtime.DataType(call.args[1].value).bits // 8
        elif call.op == ir.Op.get("relax.memory.alloc_storage"):
            self.total += call.args[0].values[0].value
            assert (call.args[1].value.value, call.args[2].value, call.args[3].value) == (0, "global", "uint8")
        super().visit_call_(call)


@module_pass(opt_level=0, name="SayMetadata")
class SayMetadata:
    """A function that gives a text in JSON."""

    def __init__(self, about):
        self.about = about

    def transform_module(self, mod, _):
        self.about["memory_usage"] = {}
        for var, func in functions(mod):
            count = Bytes()
            count.visit_expr(func)
            self.about["memory_usage"][var.name_hint] = count.total
        bb = relax.BlockBuilder()
        with bb.function("_metadata", []):
            bb.emit_func_output(relax.StringImm(json.dumps(self.about)))
        mod["_metadata"] = bb.finalize()["_metadata"]
        return mod


@module_pass(opt_level=0, name="FewRows")
class FewRows:
    """Schedules for a few rows, where the rules for GPUs have any: they have none for a processor."""

    def transform_module(self, mod, _):
        for _, func in functions(mod, tir.PrimFunc):
            alone = dlight.ApplyDefaultSchedule(dlight.gpu.LowBatchGEMV(4))(IRModule({"main": func}))
            assert ir.structural_equal(alone["main"], func)
        return mod


@relax.register_pipeline("test_language_model")
def pipeline(target, about, bounds, ext_mods):
    rules = [dlight.gpu.Matmul(), dlight.gpu.GEMV(), dlight.gpu.Reduction(), dlight.gpu.Fallback()]
    steps = relax.transform
    return Sequential([
        CreateCache(target, about), AttachFunctions(bounds), tir.transform.BindTarget(Target.current(allow_none=False)),
        FuseSums(about), steps.FuseTransposeMatmul(),
        relax.backend.DispatchSampling(), relax.backend.DispatchSortScan(), steps.LegalizeOps(),
        steps.AnnotateTIROpPattern(), steps.FoldConstant(), steps.FuseOps(), steps.FuseTIR(), FuseDequantized(),
        steps.DeadCodeElimination(), FewRows(), dlight.ApplyDefaultSchedule(*rules), LiftTemporaries(),
        tir.transform.ForceNarrowIndexToInt32(), steps.RewriteDataflowReshape(), steps.ToNonDataflow(),
        steps.RemovePurityChecking(), steps.CallTIRRewrite(), steps.IPCAllReduceRewrite(1),
        steps.StaticPlanBlockMemory(), SayMetadata(about), steps.RewriteCUDAGraph(), steps.LowerGPUIPCAllocStorage(),
        steps.LowerAllocTensor(), steps.KillAfterLastUse(), steps.LowerRuntimeBuiltin(), steps.VMShapeLower(),
        steps.AttachGlobalSymbol(), steps.AttachExternModules(ext_mods),
    ])  # fmt: skip


@pytest.mark.parametrize("mode", ["float32", "q4f32_1", "q4f16_1"])
def test_a_pipeline_of_passes_in_python_builds_a_model(mode):
    model, config = LlamaForCausalLM(LlamaConfig(hidden_size=64, head_dim=16)), None
    if mode.startswith("q"):
        config = group_quantize(mode)
        model = config.quantize_model(model, {})
    else:
        model.to(mode)
    mod, params, ext_mods = model.export_tvm(model.get_default_spec(), allow_extern=True)
    weights = random_weights(params, 97)
    rng = np.random.default_rng(0)
    for name, param in params:
        if param.dtype == "uint32":
            weights[name] = rng.integers(0, 2**32, weights[name].shape, dtype="uint64").astype("uint32")
        elif name.endswith("q_scale"):
            weights[name] = np.abs(weights[name]) / 8
    target, about = Target("llvm"), {"prefill_chunk_size": 64}
    with target, PassContext(config={"relax.backend.use_cuda_graph": False}):
        made = relax.get_pipeline(
            "test_language_model", target=target, about=about, bounds={"batch_size": 4}, ext_mods=ext_mods
        )
        vm = relax.VirtualMachine(relax.build(mod, target, pipeline=made), tw.cpu())
    assert about["sums"] >= 4 * 5, "four norms follow sums in each of the five functions with layers"
    said = json.loads(vm["_metadata"]())
    assert said["cache"] == {"num_hidden_layers": 2, "head_dim": 16, "dtype": model.dtype}
    assert said["memory_usage"]["alloc_embedding_tensor"] == 64 * 64 * np.dtype(model.dtype).itemsize
    assert said["memory_usage"]["decode"] > 0
    assert vm["alloc_embedding_tensor"]().shape == (64, 64)

    plain = Engine(mod, weights.values())
    found = object.__new__(Engine)
    found.vm, found.weights = vm, plain.weights
    found.state = vm["create_tir_paged_kv_cache"](*(ShapeTuple([size]) for size in (4, 256, 64, 16, 0)))
    for engine in (plain, found):
        engine.add(0)
    for step, ids in (("prefill", [1, 2, 3, 4, 5]), ("decode", 6)):
        expected = getattr(plain, step)(0, ids)
        tolerance = 1e-5 if model.dtype == "float32" else 1e-2
        np.testing.assert_allclose(getattr(found, step)(0, ids), expected, atol=tolerance * np.abs(expected).max())

    logits = rng.standard_normal((2, 97)).astype("float32")
    changed = tw.nd.array(logits)
    rows, tokens, biases = np.array([0, 1], "int32"), np.array([3, 4], "int32"), np.array([1, 2], "float32")
    vm["apply_logit_bias_inplace"](changed, *(tw.nd.array(own) for own in (rows, tokens, biases)))
    logits[rows, tokens] += biases
    np.testing.assert_array_equal(changed.numpy(), logits)


def test_an_allocation_is_no_effect_of_a_function():
    bb = relax.BlockBuilder()
    with bb.function("new", []):
        bb.emit_func_output(bb.emit(relax.op.builtin.alloc_tensor(relax.ShapeExpr([2, 3]), "float16")))
    mod = bb.finalize()
    assert mod["new"].is_pure
    ir.assert_structural_equal(from_source(mod.script()), mod)
    call = mod["new"].body.blocks[0].bindings[0].value
    shape, dtype, device, scope = call.args
    assert (list(shape.values), dtype.value, device.value.value, scope.value) == ([2, 3], "float16", 0, "global")
    ir.assert_structural_equal(relax.Call(call.op, call.args, None, call.sinfo_args), call)


def doubled_twice():
    """A module with two calls of PrimFuncs, the second one of a packed function's result."""
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo([4], "float32"))
    with bb.function("main", [x]):
        first = bb.emit_te(lambda a: te.compute(a.shape, lambda i: a[i] * 2, "double"), x, primfunc_name_hint="double")
        out = relax.TensorStructInfo([4], "float32")
        packed = bb.emit(relax.call_dps_packed("library.product", [first, x], out))
        bb.emit_func_output(bb.emit(relax.op.add(packed, x)))
    return bb.finalize()


@pytest.mark.parametrize("pattern", [
    lambda: is_op("relax.call_dps_packed")(varg_default_wildcard=True),
    lambda: is_op("relax.call_dps_packed")(wildcard(), TuplePattern([wildcard(), wildcard()])),
])  # fmt: skip
def test_calls_of_the_library_are_found_by_patterns(pattern):
    product, bias = pattern(), wildcard()
    pattern = is_op("relax.add")(product, bias)

    def rewrite(expr, found):
        call = found[product]
        if call.args[0].global_symbol != "library.product":
            return expr
        return relax.call_dps_packed("library.product_bias", [*call.args[1].fields, found[bias]], expr.struct_info)

    text = rewrite_call(pattern, rewrite, doubled_twice()["main"]).script()
    assert "library.product_bias" in text and "R.add" not in text


def test_calls_of_prim_funcs_are_found_by_their_names():
    for name, times in (("double", 1), ("triple", 0), ("", 1)):
        pattern, found = is_op(LOOP_CALL)(GlobalVarPattern(name), TuplePattern([wildcard()])), []

        def note(expr, _, found=found):
            found.append(expr)
            return expr

        rewrite_call(pattern, note, doubled_twice()["main"])
        assert len(found) == times


def test_a_function_whose_symbol_is_taken_gets_its_own_name():
    @T.prim_func
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i]

    bb = relax.BlockBuilder(IRModule({"copy": copy}))
    again = bb.add_func(copy.with_attr("noted", 1), "copy")
    assert again.name_hint == "copy1" and bb.get()["copy1"].attrs["global_symbol"] == "copy1"
    assert bb.get()["copy"].attrs["global_symbol"] == "copy"
