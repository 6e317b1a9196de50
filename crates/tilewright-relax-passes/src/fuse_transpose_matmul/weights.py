# A product with a transposed weight reads the weight as it lies; one in another order stays.
# test: opt --pass FuseTransposeMatmul --pass DeadCodeElimination
# run: main == same
# run: main special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32"), v: R.Tensor((4, 5, 3), "float32")):
        with R.dataflow():
            a = R.permute_dims(w)
            b = R.matmul(x, a)
            c = R.permute_dims(v, [2, 0, 1])
            d = R.matmul(b, c)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def NT_matmul(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), a: T.Buffer((T.int64(4), T.int64(3)), "float32"), matmul: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], a[v_i1, v_k])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * a[v_i1, v_k]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32"), v: R.Tensor((4, 5, 3), dtype="float32")) -> R.Tensor((3, 2, 5), dtype="float32"):
        cls = Module
        with R.dataflow():
            b = R.call_tir(cls.NT_matmul, (x, w), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            c: R.Tensor((3, 4, 5), dtype="float32") = R.permute_dims(v, axes=[2, 0, 1])
            d: R.Tensor((3, 2, 5), dtype="float32") = R.matmul(b, c, out_dtype="void")
            R.output(d)
        return d
