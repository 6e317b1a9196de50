# A softmax spelled out, with zeros for rows of nothing but minus infinity; one whose sum is over something else stays.
# test: opt --pass FuseAttention
# run: main == same
# run: main seed=3 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 3, 4), "float32"), k: R.Tensor((2, 4, 5), "float32"), v: R.Tensor((2, 5, 4), "float32"), mask: R.Tensor((3, 5), "bool")):
        with R.dataflow():
            products = R.matmul(q, k)
            scores = R.where(mask, products, R.const(float("-inf"), "float32"))
            best = R.max(scores, axis=[-1], keepdims=True)
            none = R.equal(best, R.const(float("-inf"), "float32"))
            from_ = R.where(none, R.const(0, "float32"), best)
            distance = R.subtract(scores, from_)
            powers = R.exp(distance)
            total = R.sum(powers, axis=[2], keepdims=True)
            nothing = R.equal(total, R.const(0, "float32"))
            some = R.where(nothing, R.const(1, "float32"), total)
            shares = R.divide(powers, some)
            a = R.matmul(shares, v)
            b1 = R.matmul(a, k)
            b2 = R.max(b1, axis=[-1], keepdims=True)
            b3 = R.subtract(b1, b2)
            b4 = R.exp(b3)
            b5 = R.sum(b4, axis=[1], keepdims=True)
            b6 = R.divide(b4, b5)
            b = R.matmul(b6, v)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(q: R.Tensor((2, 3, 4), dtype="float32"), k: R.Tensor((2, 4, 5), dtype="float32"), mask: R.Tensor((3, 5), dtype="bool"), v: R.Tensor((2, 5, 4), dtype="float32")) -> R.Tensor((2, 3, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            products: R.Tensor((2, 3, 5), dtype="float32") = R.matmul(q, k, out_dtype="void")
            scores: R.Tensor((2, 3, 5), dtype="float32") = R.where(mask, products, metadata["relax.expr.Constant"][0])
            best: R.Tensor((2, 3, 1), dtype="float32") = R.max(scores, axis=[-1], keepdims=True)
            none: R.Tensor((2, 3, 1), dtype="bool") = R.equal(best, metadata["relax.expr.Constant"][1])
            from_: R.Tensor((2, 3, 1), dtype="float32") = R.where(none, R.const(0.0, "float32"), best)
            distance: R.Tensor((2, 3, 5), dtype="float32") = R.subtract(scores, from_)
            powers: R.Tensor((2, 3, 5), dtype="float32") = R.exp(distance)
            total: R.Tensor((2, 3, 1), dtype="float32") = R.sum(powers, axis=[2], keepdims=True)
            nothing: R.Tensor((2, 3, 1), dtype="bool") = R.equal(total, R.const(0.0, "float32"))
            some: R.Tensor((2, 3, 1), dtype="float32") = R.where(nothing, R.const(1.0, "float32"), total)
            shares: R.Tensor((2, 3, 5), dtype="float32") = R.divide(powers, some)
            a: R.Tensor((2, 3, 4), dtype="float32") = R.matmul(shares, v, out_dtype="void")
            R.output(a)
        return a

    @R.function
    def main(q: R.Tensor((2, 3, 4), dtype="float32"), k: R.Tensor((2, 4, 5), dtype="float32"), v: R.Tensor((2, 5, 4), dtype="float32"), mask: R.Tensor((3, 5), dtype="bool")) -> R.Tensor((2, 3, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((2, 3, 4), dtype="float32") = cls.fused_attention(q, k, mask, v)
            b1: R.Tensor((2, 3, 5), dtype="float32") = R.matmul(a, k, out_dtype="void")
            b2: R.Tensor((2, 3, 1), dtype="float32") = R.max(b1, axis=[-1], keepdims=True)
            b3: R.Tensor((2, 3, 5), dtype="float32") = R.subtract(b1, b2)
            b4: R.Tensor((2, 3, 5), dtype="float32") = R.exp(b3)
            b5: R.Tensor((2, 1, 5), dtype="float32") = R.sum(b4, axis=[1], keepdims=True)
            b6: R.Tensor((2, 3, 5), dtype="float32") = R.divide(b4, b5)
            b: R.Tensor((2, 3, 4), dtype="float32") = R.matmul(b6, v, out_dtype="void")
            R.output(b)
        return b

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
]}
