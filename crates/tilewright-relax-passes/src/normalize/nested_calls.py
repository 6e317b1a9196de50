# Every intermediate value gets a variable, in the order of evaluation; a node that is used twice is computed once.
# test: opt --pass Normalize
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32")):
        with R.dataflow():
            y = R.nn.relu(R.add(R.matmul(x, R.permute_dims(w)), R.negative(R.matmul(x, R.permute_dims(w)))))
            R.output(y)
        return R.abs(y)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
            lv1: R.Tensor((2, 4), dtype="float32") = R.matmul(x, lv, out_dtype="void")
            lv2: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
            lv3: R.Tensor((2, 4), dtype="float32") = R.matmul(x, lv2, out_dtype="void")
            lv4: R.Tensor((2, 4), dtype="float32") = R.negative(lv3)
            lv5: R.Tensor((2, 4), dtype="float32") = R.add(lv1, lv4)
            y: R.Tensor((2, 4), dtype="float32") = R.nn.relu(lv5)
            R.output(y)
        gv6: R.Tensor((2, 4), dtype="float32") = R.abs(y)
        return gv6
