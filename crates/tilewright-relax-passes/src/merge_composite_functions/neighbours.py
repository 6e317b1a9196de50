# Neighbouring calls for one code generator become one function, with the composite functions as closures; `outside` is
# for no code generator, and its dependents stay separate.
# test: opt --pass MergeCompositeFunctions
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Composite": "lib.twice"})
        with R.dataflow():
            c = R.subtract(a, b)
            R.output(c)
        return c

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            first = cls.twice(x, y)
            second = cls.twice(y, first)
            outside = R.nn.relu(second)
            third = cls.twice(outside, second)
            R.output(third)
        return third

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            second: R.Tensor((4,), dtype="float32") = cls.twice_twice_lib(x, y)
            outside: R.Tensor((4,), dtype="float32") = R.nn.relu(second)
            third: R.Tensor((4,), dtype="float32") = cls.twice_lib(outside, second)
            R.output(third)
        return third

    @R.function
    def twice_lib(outside: R.Tensor((4,), dtype="float32"), second: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"Codegen": "lib"})
        @R.function
        def twice(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            R.func_attr({"Composite": "lib.twice"})
            with R.dataflow():
                c: R.Tensor((4,), dtype="float32") = R.subtract(a, b)
                R.output(c)
            return c
        third: R.Tensor((4,), dtype="float32") = twice(outside, second)
        return third

    @R.function
    def twice_twice_lib(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"Codegen": "lib"})
        @R.function
        def twice(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            R.func_attr({"Composite": "lib.twice"})
            with R.dataflow():
                c: R.Tensor((4,), dtype="float32") = R.subtract(a, b)
                R.output(c)
            return c
        first: R.Tensor((4,), dtype="float32") = twice(x, y)
        second: R.Tensor((4,), dtype="float32") = twice(y, first)
        return second
