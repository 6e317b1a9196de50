# Ops that work element by element, on every kind of number.
# test: run
# run: main special == same
# run: integers special == same


@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((7, 5), "float32"), b: R.Tensor((5,), "float32")):
        return (
            R.add(a, b),
            R.subtract(a, b),
            R.multiply(a, b),
            R.divide(a, b),
            R.maximum(a, b),
            R.minimum(a, b),
            R.equal(a, b),
            R.not_equal(a, b),
            R.less(a, b),
            R.less_equal(a, b),
            R.greater(a, b),
            R.greater_equal(a, b),
            R.abs(a),
            R.ceil(a),
            R.floor(a),
            R.negative(a),
            R.sqrt(a),
            R.square(a),
            R.trunc(a),
            R.nn.relu(a),
        )

    @R.function
    def integers(a: R.Tensor((7, 5), "int8"), b: R.Tensor((5,), "int8")):
        return (
            R.add(a, b),
            R.subtract(a, b),
            R.multiply(a, b),
            R.maximum(a, b),
            R.minimum(a, b),
            R.less(a, b),
            R.abs(a),
            R.negative(a),
            R.square(a),
            R.nn.relu(a),
        )
