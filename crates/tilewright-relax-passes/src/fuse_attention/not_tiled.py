# What the target has no kernel for, or the pass takes for no attention: sums in other types, shares that are rounded or changed, values with dimensions of their
# own; and what leaves out or repeats elements of the result stays outside.
# test: opt --pass FuseAttention
# run: main tol=1e-2 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 3), "float32"), y: R.Tensor((3, 3), "float32"), h: R.Tensor((3, 3), "float16"), w: R.Tensor((3, 3), "float64")):
        with R.dataflow():
            a = R.matmul(R.nn.softmax(R.matmul(w, w), axis=-1), w)
            b = R.matmul(R.nn.softmax(R.matmul(h, h), axis=-1), h)
            c1 = R.nn.softmax(R.matmul(h, h, out_dtype="float32"), axis=-1)
            c = R.matmul(R.astype(c1, "float16"), h)
            d = R.matmul(R.cos(R.nn.softmax(R.matmul(x, y), axis=-1)), y)
            e = R.matmul(R.nn.softmax(R.matmul(y, y), axis=-1), x)
            f1 = R.matmul(R.nn.softmax(R.matmul(x, y), axis=-1), y)
            f2 = R.permute_dims(f1, axes=[1, 0, 2])
            f = R.strided_slice(f2, axes=[0], begin=[0], end=[2])
            R.output(a, b, c, d, e, f)
        return (a, b, c, d, e, f)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(x: R.Tensor((2, 3, 3), dtype="float32"), y: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((3, 2, 3), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            lv11: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv12: R.Tensor((2, 3, 3), dtype="float32") = R.nn.softmax(lv11, axis=-1)
            f1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv12, y, out_dtype="void")
            f2: R.Tensor((3, 2, 3), dtype="float32") = R.permute_dims(f1, axes=[1, 0, 2])
            R.output(f2)
        return f2

    @R.function
    def main(x: R.Tensor((2, 3, 3), dtype="float32"), y: R.Tensor((3, 3), dtype="float32"), h: R.Tensor((3, 3), dtype="float16"), w: R.Tensor((3, 3), dtype="float64")) -> R.Tuple(R.Tensor((3, 3), dtype="float64"), R.Tensor((3, 3), dtype="float16"), R.Tensor((3, 3), dtype="float16"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 2, 3), dtype="float32")):
        cls = Module
        with R.dataflow():
            lv: R.Tensor((3, 3), dtype="float64") = R.matmul(w, w, out_dtype="void")
            lv1: R.Tensor((3, 3), dtype="float64") = R.nn.softmax(lv, axis=-1)
            a: R.Tensor((3, 3), dtype="float64") = R.matmul(lv1, w, out_dtype="void")
            lv2: R.Tensor((3, 3), dtype="float16") = R.matmul(h, h, out_dtype="void")
            lv3: R.Tensor((3, 3), dtype="float16") = R.nn.softmax(lv2, axis=-1)
            b: R.Tensor((3, 3), dtype="float16") = R.matmul(lv3, h, out_dtype="void")
            lv4: R.Tensor((3, 3), dtype="float32") = R.matmul(h, h, out_dtype="float32")
            c1: R.Tensor((3, 3), dtype="float32") = R.nn.softmax(lv4, axis=-1)
            lv5: R.Tensor((3, 3), dtype="float16") = R.astype(c1, dtype="float16")
            c: R.Tensor((3, 3), dtype="float16") = R.matmul(lv5, h, out_dtype="void")
            lv6: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            lv7: R.Tensor((2, 3, 3), dtype="float32") = R.nn.softmax(lv6, axis=-1)
            lv8: R.Tensor((2, 3, 3), dtype="float32") = R.cos(lv7)
            d: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv8, y, out_dtype="void")
            lv9: R.Tensor((3, 3), dtype="float32") = R.matmul(y, y, out_dtype="void")
            lv10: R.Tensor((3, 3), dtype="float32") = R.nn.softmax(lv9, axis=-1)
            e: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(lv10, x, out_dtype="void")
            f2: R.Tensor((3, 2, 3), dtype="float32") = cls.fused_attention(x, y)
            f: R.Tensor((2, 2, 3), dtype="float32") = R.strided_slice(f2, (R.prim_value(0),), (R.prim_value(0),), (R.prim_value(2),), None, assume_inbound=False)
            R.output(a, b, c, d, e, f)
        return (a, b, c, d, e, f)
