# A mask of positions and a bias of slopes are recomputed in each attention; one that is read from a table is not.
# test: opt --pass FuseAttention --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 9, 4), "float32"), k: R.Tensor((2, 4, 9), "float32"), v: R.Tensor((2, 9, 4), "float32"), slopes: R.Tensor((2, 1, 1), "float32"), table: R.Tensor((9,), "float32")):
        with R.dataflow():
            places = R.arange(0, 9, 1, dtype="int64")
            behind = R.expand_dims(places, axis=[1])
            seen = R.less_equal(places, behind)
            distance = R.subtract(places, behind)
            far = R.astype(distance, "float32")
            bias = R.multiply(far, slopes)
            a1 = R.matmul(q, k)
            a2 = R.add(a1, bias)
            a3 = R.where(seen, a2, R.const(float("-inf"), "float32"))
            a4 = R.nn.softmax(a3, axis=-1)
            a = R.matmul(a4, v)
            near = R.abs(distance)
            read = R.take(table, near, axis=0)
            b1 = R.matmul(a, k)
            b2 = R.where(seen, b1, R.const(float("-inf"), "float32"))
            b3 = R.add(b2, read)
            b4 = R.nn.softmax(b3, axis=-1)
            b = R.matmul(b4, v)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(slopes: R.Tensor((2, 1, 1), dtype="float32"), q: R.Tensor((2, 9, 4), dtype="float32"), k: R.Tensor((2, 4, 9), dtype="float32"), v: R.Tensor((2, 9, 4), dtype="float32")) -> R.Tensor((2, 9, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            places: R.Tensor((9,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(9), R.prim_value(1), dtype="int64")
            behind: R.Tensor((9, 1), dtype="int64") = R.expand_dims(places, axis=[1])
            seen: R.Tensor((9, 9), dtype="bool") = R.less_equal(places, behind)
            distance: R.Tensor((9, 9), dtype="int64") = R.subtract(places, behind)
            far: R.Tensor((9, 9), dtype="float32") = R.astype(distance, dtype="float32")
            bias: R.Tensor((2, 9, 9), dtype="float32") = R.multiply(far, slopes)
            a1: R.Tensor((2, 9, 9), dtype="float32") = R.matmul(q, k, out_dtype="void")
            a2: R.Tensor((2, 9, 9), dtype="float32") = R.add(a1, bias)
            a3: R.Tensor((2, 9, 9), dtype="float32") = R.where(seen, a2, metadata["relax.expr.Constant"][0])
            a4: R.Tensor((2, 9, 9), dtype="float32") = R.nn.softmax(a3, axis=-1)
            a: R.Tensor((2, 9, 4), dtype="float32") = R.matmul(a4, v, out_dtype="void")
            R.output(a)
        return a

    @R.function(private=True)
    def fused_attention1(a: R.Tensor((2, 9, 4), dtype="float32"), k: R.Tensor((2, 4, 9), dtype="float32"), read: R.Tensor((9, 9), dtype="float32"), v: R.Tensor((2, 9, 4), dtype="float32")) -> R.Tensor((2, 9, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            places: R.Tensor((9,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(9), R.prim_value(1), dtype="int64")
            behind: R.Tensor((9, 1), dtype="int64") = R.expand_dims(places, axis=[1])
            seen: R.Tensor((9, 9), dtype="bool") = R.less_equal(places, behind)
            b1: R.Tensor((2, 9, 9), dtype="float32") = R.matmul(a, k, out_dtype="void")
            b2: R.Tensor((2, 9, 9), dtype="float32") = R.where(seen, b1, metadata["relax.expr.Constant"][1])
            b3: R.Tensor((2, 9, 9), dtype="float32") = R.add(b2, read)
            b4: R.Tensor((2, 9, 9), dtype="float32") = R.nn.softmax(b3, axis=-1)
            b: R.Tensor((2, 9, 4), dtype="float32") = R.matmul(b4, v, out_dtype="void")
            R.output(b)
        return b

    @R.function
    def main(q: R.Tensor((2, 9, 4), dtype="float32"), k: R.Tensor((2, 4, 9), dtype="float32"), v: R.Tensor((2, 9, 4), dtype="float32"), slopes: R.Tensor((2, 1, 1), dtype="float32"), table: R.Tensor((9,), dtype="float32")) -> R.Tensor((2, 9, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            places: R.Tensor((9,), dtype="int64") = R.arange(R.prim_value(0), R.prim_value(9), R.prim_value(1), dtype="int64")
            behind: R.Tensor((9, 1), dtype="int64") = R.expand_dims(places, axis=[1])
            distance: R.Tensor((9, 9), dtype="int64") = R.subtract(places, behind)
            a: R.Tensor((2, 9, 4), dtype="float32") = cls.fused_attention(slopes, q, k, v)
            near: R.Tensor((9, 9), dtype="int64") = R.abs(distance)
            read: R.Tensor((9, 9), dtype="float32") = R.take(table, near, axis=0, mode="fast")
            b: R.Tensor((2, 9, 4), dtype="float32") = cls.fused_attention1(a, k, read, v)
            R.output(b)
        return b

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
]}
