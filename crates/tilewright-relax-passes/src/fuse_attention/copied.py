# What another attention gives is an operand, not worked out again, however small it is.
# test: opt --pass FuseAttention
# run: main tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32"), z: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a1 = R.matmul(x, y)
            a2 = R.nn.softmax(a1, axis=-1)
            a3 = R.matmul(a2, z)
            a = R.permute_dims(a3, axes=[1, 0])
            mask = R.negative(a)
            b1 = R.matmul(y, z)
            b2 = R.add(b1, a)
            b3 = R.add(b2, mask)
            b4 = R.nn.softmax(b3, axis=-1)
            b = R.matmul(b4, x)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(x: R.Tensor((4, 4), dtype="float32"), y: R.Tensor((4, 4), dtype="float32"), z: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            a1: R.Tensor((4, 4), dtype="float32") = R.matmul(x, y, out_dtype="void")
            a2: R.Tensor((4, 4), dtype="float32") = R.nn.softmax(a1, axis=-1)
            a3: R.Tensor((4, 4), dtype="float32") = R.matmul(a2, z, out_dtype="void")
            a: R.Tensor((4, 4), dtype="float32") = R.permute_dims(a3, axes=[1, 0])
            R.output(a)
        return a

    @R.function(private=True)
    def fused_attention1(a: R.Tensor((4, 4), dtype="float32"), y: R.Tensor((4, 4), dtype="float32"), z: R.Tensor((4, 4), dtype="float32"), x: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            mask: R.Tensor((4, 4), dtype="float32") = R.negative(a)
            b1: R.Tensor((4, 4), dtype="float32") = R.matmul(y, z, out_dtype="void")
            b2: R.Tensor((4, 4), dtype="float32") = R.add(b1, a)
            b3: R.Tensor((4, 4), dtype="float32") = R.add(b2, mask)
            b4: R.Tensor((4, 4), dtype="float32") = R.nn.softmax(b3, axis=-1)
            b: R.Tensor((4, 4), dtype="float32") = R.matmul(b4, x, out_dtype="void")
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), y: R.Tensor((4, 4), dtype="float32"), z: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((4, 4), dtype="float32") = cls.fused_attention(x, y, z)
            mask: R.Tensor((4, 4), dtype="float32") = R.negative(a)
            b: R.Tensor((4, 4), dtype="float32") = cls.fused_attention1(a, y, z, x)
            R.output(b)
        return b
