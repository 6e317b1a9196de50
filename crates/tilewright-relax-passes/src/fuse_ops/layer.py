# Elementwise users of a product are fused with it; a second product starts a group of its own, and the transposition of
# its operand stays separate. Equal groups are one function.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same
# run: main special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), b: R.Tensor((4,), "float32")):
        with R.dataflow():
            turned = R.permute_dims(w)
            first = R.matmul(x, turned)
            biased = R.add(first, b)
            active = R.nn.relu(biased)
            again = R.permute_dims(w)
            second = R.matmul(active, again)
            shifted = R.add(second, b)
            out = R.nn.relu(shifted)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(first: T.Buffer((T.int64(4), T.int64(4)), "float32"), b: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(first[v_i0, v_i1], b[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = first[v_i0, v_i1] + b[v_i1]

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(4), T.int64(4)), "float32"), turned: T.Buffer((T.int64(4), T.int64(4)), "float32"), matmul: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(4), T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], turned[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * turned[v_k, v_i1]

    @T.prim_func(private=True)
    def relu(biased: T.Buffer((T.int64(4), T.int64(4)), "float32"), compute: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(biased[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(biased[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def transpose(w: T.Buffer((T.int64(4), T.int64(4)), "float32"), T_transpose: T.Buffer((T.int64(4), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(4)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(w[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = w[v_i1, v_i0]

    @R.function(private=True)
    def fused_matmul_add_relu(x: R.Tensor((4, 4), dtype="float32"), turned: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            first = R.call_tir(cls.matmul, (x, turned), out_sinfo=R.Tensor((4, 4), dtype="float32"))
            biased = R.call_tir(cls.add, (first, b), out_sinfo=R.Tensor((4, 4), dtype="float32"))
            active = R.call_tir(cls.relu, (biased,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
            R.output(active)
        return active

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            turned = R.call_tir(cls.transpose, (w,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
            active: R.Tensor((4, 4), dtype="float32") = cls.fused_matmul_add_relu(x, turned, b)
            again = R.call_tir(cls.transpose, (w,), out_sinfo=R.Tensor((4, 4), dtype="float32"))
            out: R.Tensor((4, 4), dtype="float32") = cls.fused_matmul_add_relu(active, again, b)
            R.output(out)
        return out
