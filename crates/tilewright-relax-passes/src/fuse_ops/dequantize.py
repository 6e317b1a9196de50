# A product computes the matrix that is made of words of eight codes each, and transposed, itself.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps:fuse_dequantize=True
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def dequantize(words: T.Buffer((T.int64(4), T.int64(2)), "uint32"), scale: T.Buffer((T.int64(4), T.int64(1)), "float32"), out: T.Buffer((T.int64(4), T.int64(16)), "float32")):
        for i, j in T.grid(T.int64(4), T.int64(16)):
            with T.block("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = (T.Cast("float32", words[vi, vj // T.int64(8)] >> T.Cast("uint32", vj % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7)) * scale[vi, vj // T.int64(16)]

    @R.function
    def main(x: R.Tensor((3, 16), "float32"), words: R.Tensor((4, 2), "uint32"), scale: R.Tensor((4, 1), "float32")):
        with R.dataflow():
            w = R.call_tir(Module.dequantize, (words, scale), out_sinfo=R.Tensor((4, 16), "float32"))
            t = R.permute_dims(w)
            product = R.matmul(x, t)
            out = R.nn.relu(product)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def dequantize(words: T.Buffer((T.int64(4), T.int64(2)), "uint32"), scale: T.Buffer((T.int64(4), T.int64(1)), "float32"), out: T.Buffer((T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"op_pattern": 2})
        # with T.block("root"):
        for i, j in T.grid(T.int64(4), T.int64(16)):
            with T.block("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(words[vi, vj // T.int64(8)], scale[vi, vj // T.int64(16)])
                T.writes(out[vi, vj])
                out[vi, vj] = (T.Cast("float32", words[vi, vj // T.int64(8)] >> T.Cast("uint32", vj % T.int64(8) * T.int64(4)) & T.uint32(15)) - T.float32(7.0)) * scale[vi, vj // T.int64(16)]

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(3), T.int64(16)), "float32"), t: T.Buffer((T.int64(16), T.int64(4)), "float32"), matmul: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(3), T.int64(4), T.int64(16)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], t[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * t[v_k, v_i1]

    @T.prim_func(private=True)
    def relu(product: T.Buffer((T.int64(3), T.int64(4)), "float32"), compute: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(product[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(product[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def transpose(w: T.Buffer((T.int64(4), T.int64(16)), "float32"), T_transpose: T.Buffer((T.int64(16), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(16), T.int64(4)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(w[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = w[v_i1, v_i0]

    @R.function(private=True)
    def fused_dequantize_transpose_matmul_relu(words: R.Tensor((4, 2), dtype="uint32"), scale: R.Tensor((4, 1), dtype="float32"), x: R.Tensor((3, 16), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            w = R.call_tir(cls.dequantize, (words, scale), out_sinfo=R.Tensor((4, 16), dtype="float32"))
            t = R.call_tir(cls.transpose, (w,), out_sinfo=R.Tensor((16, 4), dtype="float32"))
            product = R.call_tir(cls.matmul, (x, t), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            out = R.call_tir(cls.relu, (product,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            R.output(out)
        return out

    @R.function
    def main(x: R.Tensor((3, 16), dtype="float32"), words: R.Tensor((4, 2), dtype="uint32"), scale: R.Tensor((4, 1), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            out: R.Tensor((3, 4), dtype="float32") = cls.fused_dequantize_transpose_matmul_relu(words, scale, x)
            R.output(out)
        return out
