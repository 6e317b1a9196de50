# The same bindings sorted breadth-first, from-inputs. A check precedes uses of the dimension that it defines.
# test: opt --pass TopologicalSort:order=breadth-first,direction=from-inputs
# run: main(f32[4], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor("float32", ndim=1)):
        n = T.int64()
        with R.dataflow():
            a = R.abs(x)
            b = R.negative(x)
            z = R.match_cast(y, R.Tensor((n,), "float32"))
            c = R.exp(a)
            d = R.ones((n,), "float32")
            e = R.subtract(b, c)
            f = R.sum(d)
            g = R.subtract(e, f)
            h = R.exp(b)
            R.output(g, h)
        return (g, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.abs(x)
            b: R.Tensor((4,), dtype="float32") = R.negative(x)
            z: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
            c: R.Tensor((4,), dtype="float32") = R.exp(a)
            h: R.Tensor((4,), dtype="float32") = R.exp(b)
            d: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
            e: R.Tensor((4,), dtype="float32") = R.subtract(b, c)
            f: R.Tensor((), dtype="float32") = R.sum(d, axis=None, keepdims=False)
            g: R.Tensor((4,), dtype="float32") = R.subtract(e, f)
            R.output(h, g)
        return (g, h)
