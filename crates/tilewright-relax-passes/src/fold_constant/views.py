# Parts of a weight along its outermost dimension, and reshaped weights, are views of the weight; a permutation is
# computed.
# test: opt --pass FoldConstant --pass DeadCodeElimination
# run: main == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            weight = R.reshape(R.const([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0], "float32"), R.shape([4, 3]))
            halves = R.split(weight, 2, axis=0)
            first = halves[0]
            second = halves[1]
            across = R.split(weight, 3, axis=1)
            column = across[1]
            turned = R.permute_dims(R.reshape(second, R.shape([3, 2])))
            tall = R.reshape(column, R.shape([2, 2, 1]))
            some = R.strided_slice(tall, axes=[0], begin=[1], end=[2])
            y = R.add(R.multiply(x, first), turned)
            z = R.add(y, R.sum(some))
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        with R.dataflow():
            lv1: R.Tensor((2, 3), dtype="float32") = R.multiply(x, metadata["relax.expr.Constant"][0])
            y: R.Tensor((2, 3), dtype="float32") = R.add(lv1, metadata["relax.expr.Constant"][1])
            z: R.Tensor((2, 3), dtype="float32") = R.add(y, R.const(17.0, "float32"))
            R.output(z)
        return z

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 3], "data": "AAAAAAAAgD8AAABAAABAQAAAgEAAAKBA"},
    {"dtype": "float32", "shape": [2, 3], "data": "AADAQAAAAEEAACBBAADgQAAAEEEAADBB"},
]}
