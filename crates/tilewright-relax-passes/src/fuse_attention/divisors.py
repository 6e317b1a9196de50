# Divisors that are more than the sum of weights or hold it above and below numbers; other ones stay outside.
# test: opt --pass FuseAttention
# run: main tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 3), "float32"), y: R.Tensor((2, 3, 3), "float32")):
        with R.dataflow():
            a1 = R.matmul(x, y)
            a2 = R.max(a1, axis=[-1], keepdims=True)
            a3 = R.not_equal(R.const(float("-inf"), "float32"), a2)
            a4 = R.where(a3, a2, R.const(0, "float32"))
            a5 = R.exp(R.subtract(a1, a4))
            a6 = R.sum(a5, axis=[-1], keepdims=True)
            a7 = R.add(R.const(1e-6, "float32"), a6)
            a8 = R.clip(a7, 1e-3, 100)
            a9 = R.minimum(a8, R.const(2.5, "float32"))
            a10 = R.less(a6, R.const(1.5, "float32"))
            a11 = R.where(a10, R.const(1, "float32"), a9)
            a = R.matmul(R.divide(a5, a11), y)
            b1 = R.matmul(x, y)
            b2 = R.exp(R.subtract(b1, R.max(b1, axis=[-1], keepdims=True)))
            b3 = R.sum(b2, axis=[-1], keepdims=True)
            b = R.matmul(R.divide(b2, R.maximum(b3, b2)), y)
            c1 = R.matmul(x, y)
            c2 = R.exp(R.subtract(c1, R.max(c1, axis=[-1], keepdims=True)))
            c = R.matmul(R.divide(c2, R.const(2, "float32")), y)
            d1 = R.matmul(x, y)
            d2 = R.exp(R.subtract(d1, R.max(d1, axis=[-1], keepdims=True)))
            d3 = R.sum(d2, axis=[-1], keepdims=True)
            d = R.matmul(R.divide(d2, R.add(d3, R.const(-0.5, "float32"))), y)
            e1 = R.matmul(x, y)
            e2 = R.maximum(R.max(e1, axis=[-1], keepdims=True), R.const(-0.5, "float32"))
            e3 = R.exp(R.subtract(e1, e2))
            e = R.matmul(R.divide(e3, R.sum(e3, axis=[-1], keepdims=True)), y)
            R.output(a, b, c, d, e)
        return (a, b, c, d, e)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(x: R.Tensor((2, 3, 3), dtype="float32"), y: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tensor((2, 3, 3), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            a1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            a2: R.Tensor((2, 3, 1), dtype="float32") = R.max(a1, axis=[-1], keepdims=True)
            a3: R.Tensor((2, 3, 1), dtype="bool") = R.not_equal(metadata["relax.expr.Constant"][0], a2)
            a4: R.Tensor((2, 3, 1), dtype="float32") = R.where(a3, a2, R.const(0.0, "float32"))
            lv: R.Tensor((2, 3, 3), dtype="float32") = R.subtract(a1, a4)
            a5: R.Tensor((2, 3, 3), dtype="float32") = R.exp(lv)
            a6: R.Tensor((2, 3, 1), dtype="float32") = R.sum(a5, axis=[-1], keepdims=True)
            a7: R.Tensor((2, 3, 1), dtype="float32") = R.add(R.const(1e-6, "float32"), a6)
            a8: R.Tensor((2, 3, 1), dtype="float32") = R.clip(a7, R.prim_value(T.float32(0.001)), R.prim_value(100))
            a9: R.Tensor((2, 3, 1), dtype="float32") = R.minimum(a8, R.const(2.5, "float32"))
            a10: R.Tensor((2, 3, 1), dtype="bool") = R.less(a6, R.const(1.5, "float32"))
            a11: R.Tensor((2, 3, 1), dtype="float32") = R.where(a10, R.const(1.0, "float32"), a9)
            lv1: R.Tensor((2, 3, 3), dtype="float32") = R.divide(a5, a11)
            a: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv1, y, out_dtype="void")
            R.output(a)
        return a

    @R.function
    def main(x: R.Tensor((2, 3, 3), dtype="float32"), y: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((2, 3, 3), dtype="float32") = cls.fused_attention(x, y)
            b1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv2: R.Tensor((2, 3, 1), dtype="float32") = R.max(b1, axis=[-1], keepdims=True)
            lv3: R.Tensor((2, 3, 3), dtype="float32") = R.subtract(b1, lv2)
            b2: R.Tensor((2, 3, 3), dtype="float32") = R.exp(lv3)
            b3: R.Tensor((2, 3, 1), dtype="float32") = R.sum(b2, axis=[-1], keepdims=True)
            lv4: R.Tensor((2, 3, 3), dtype="float32") = R.maximum(b3, b2)
            lv5: R.Tensor((2, 3, 3), dtype="float32") = R.divide(b2, lv4)
            b: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv5, y, out_dtype="void")
            c1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv6: R.Tensor((2, 3, 1), dtype="float32") = R.max(c1, axis=[-1], keepdims=True)
            lv7: R.Tensor((2, 3, 3), dtype="float32") = R.subtract(c1, lv6)
            c2: R.Tensor((2, 3, 3), dtype="float32") = R.exp(lv7)
            lv8: R.Tensor((2, 3, 3), dtype="float32") = R.divide(c2, R.const(2.0, "float32"))
            c: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv8, y, out_dtype="void")
            d1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv9: R.Tensor((2, 3, 1), dtype="float32") = R.max(d1, axis=[-1], keepdims=True)
            lv10: R.Tensor((2, 3, 3), dtype="float32") = R.subtract(d1, lv9)
            d2: R.Tensor((2, 3, 3), dtype="float32") = R.exp(lv10)
            d3: R.Tensor((2, 3, 1), dtype="float32") = R.sum(d2, axis=[-1], keepdims=True)
            lv11: R.Tensor((2, 3, 1), dtype="float32") = R.add(d3, R.const(-0.5, "float32"))
            lv12: R.Tensor((2, 3, 3), dtype="float32") = R.divide(d2, lv11)
            d: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv12, y, out_dtype="void")
            e1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv13: R.Tensor((2, 3, 1), dtype="float32") = R.max(e1, axis=[-1], keepdims=True)
            e2: R.Tensor((2, 3, 1), dtype="float32") = R.maximum(lv13, R.const(-0.5, "float32"))
            lv14: R.Tensor((2, 3, 3), dtype="float32") = R.subtract(e1, e2)
            e3: R.Tensor((2, 3, 3), dtype="float32") = R.exp(lv14)
            lv15: R.Tensor((2, 3, 1), dtype="float32") = R.sum(e3, axis=[-1], keepdims=True)
            lv16: R.Tensor((2, 3, 3), dtype="float32") = R.divide(e3, lv15)
            e: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv16, y, out_dtype="void")
            R.output(a, b, c, d, e)
        return (a, b, c, d, e)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
]}
