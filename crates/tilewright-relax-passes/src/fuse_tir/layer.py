# The bodies follow each other; intermediate tensors are temporaries, and blocks get unique names.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps --pass FuseTIR
# run: main == same
# run: main special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), w: R.Tensor((4, 5), "float32"), b: R.Tensor((5,), "float32")):
        with R.dataflow():
            product = R.matmul(x, w)
            biased = R.add(product, b)
            twice = R.add(biased, biased)
            less = R.subtract(product, twice)
            out = R.nn.relu(less)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_matmul_add_add1_subtract_relu(x: T.Buffer((T.int64(3), T.int64(4)), "float32"), w: T.Buffer((T.int64(4), T.int64(5)), "float32"), b: T.Buffer((T.int64(5),), "float32"), compute: T.Buffer((T.int64(3), T.int64(5)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        matmul = T.alloc_buffer((T.int64(3), T.int64(5)))
        T_add = T.alloc_buffer((T.int64(3), T.int64(5)))
        T_add_1 = T.alloc_buffer((T.int64(3), T.int64(5)))
        T_subtract = T.alloc_buffer((T.int64(3), T.int64(5)))
        for i0, i1, k in T.grid(T.int64(3), T.int64(5), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(matmul[v_i0, v_i1], b[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = matmul[v_i0, v_i1] + b[v_i1]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.block("T_add_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1], T_add[v_i0, v_i1])
                T.writes(T_add_1[v_i0, v_i1])
                T_add_1[v_i0, v_i1] = T_add[v_i0, v_i1] + T_add[v_i0, v_i1]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(matmul[v_i0, v_i1], T_add_1[v_i0, v_i1])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = matmul[v_i0, v_i1] - T_add_1[v_i0, v_i1]
        for i0, i1 in T.grid(T.int64(3), T.int64(5)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_subtract[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(T_subtract[v_i0, v_i1], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((3, 4), dtype="float32"), w: R.Tensor((4, 5), dtype="float32"), b: R.Tensor((5,), dtype="float32")) -> R.Tensor((3, 5), dtype="float32"):
        cls = Module
        with R.dataflow():
            out = R.call_tir(cls.fused_matmul_add_add1_subtract_relu, (x, w, b), out_sinfo=R.Tensor((3, 5), dtype="float32"))
            R.output(out)
        return out
