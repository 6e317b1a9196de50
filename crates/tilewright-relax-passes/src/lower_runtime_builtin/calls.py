# Operators that the runtime does are calls of its functions, attributes first.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse --pass LowerRuntimeBuiltin
# run: main n=6 == same
# run: main n=2 == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((2, 3), "float32")):
        n = T.int64()
        a = R.unique(x, return_counts=True)
        b = R.shape_of(x)
        c = R.shape_to_tensor(b)
        d = R.memory.view(y, R.shape([3, 2]), dtype="int32")
        e = R.memory.view(y, relative_byte_offset=0)
        f = R.negative(e)
        g = R.nonzero(f)
        _ = R.assert_op(R.prim_value(n > 0), R.prim_value(n), format="{} is not positive")
        k = R.inspect.tensor_shape_i(x, R.prim_value(0))
        return (a, b, c, d, f, g, k)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def tir_negative(e: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(e[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = e[v_i0, v_i1] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="int64", ndim=1)), R.Shape(["n"]), R.Tensor((1,), dtype="int64"), R.Tensor((3, 2), dtype="int32"), R.Tensor((2, 3), dtype="float32"), R.Tensor(dtype="int64", ndim=2), R.Prim(value="n")):
        n = T.int64()
        cls = Module
        none: R.Object = R.call_packed("vm.builtin.null_value", sinfo_args=(R.Object,))
        a: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="int64", ndim=1)) = R.call_pure_packed("relax.run.unique", R.prim_value(T.bool(True)), R.prim_value(T.bool(False)), R.prim_value(T.bool(False)), R.prim_value(T.bool(True)), none, x, sinfo_args=(R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="int64", ndim=1)),))
        b: R.Shape([n]) = R.call_pure_packed("vm.builtin.shape_of", x, sinfo_args=(R.Shape([n]),))
        c: R.Tensor((1,), dtype="int64") = R.call_pure_packed("relax.run.shape_to_tensor", b, sinfo_args=(R.Tensor((1,), dtype="int64"),))
        d: R.Tensor((3, 2), dtype="int32") = R.call_pure_packed("vm.builtin.view", R.dtype("int32"), R.prim_value(0), y, R.shape([3, 2]), sinfo_args=(R.Tensor((3, 2), dtype="int32"),))
        e: R.Tensor((2, 3), dtype="float32") = R.call_pure_packed("vm.builtin.view", R.dtype("void"), R.prim_value(0), y, R.tuple(), sinfo_args=(R.Tensor((2, 3), dtype="float32"),))
        f: R.Tensor((2, 3), dtype="float32") = R.builtin.alloc_tensor(R.shape([2, 3]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.tir_negative(e, f)
        g: R.Tensor(dtype="int64", ndim=2) = R.call_pure_packed("relax.run.nonzero", f, sinfo_args=(R.Tensor(dtype="int64", ndim=2),))
        __1: R.Tuple() = R.call_packed("relax.run.assert_op", R.str("{} is not positive"), R.prim_value(n > 0), R.prim_value(n), sinfo_args=(R.Tuple(),))
        k: R.Prim(value=n) = R.call_pure_packed("relax.run.tensor_shape_i", x, R.prim_value(0), sinfo_args=(R.Prim(value=n),))
        return (a, b, c, d, f, g, k)
