# A handle in an attribute stays a handle, and an empty block of dataflow between two plain ones leaves one.
# test: print

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.Buffer((3,), "int64")):
        T.func_attr({"owner": a})
        A = T.match_buffer(a, (3,), "int64")
        b[0] = A[0]

    @R.function
    def g(x: R.Tensor((3,), "int64")) -> R.Tensor((3,), "int64"):
        y = R.add(x, x)
        with R.dataflow():
            R.output()
        z = R.add(y, x)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.Buffer((3,), "int64")):
        T.func_attr({"owner": a})
        A = T.match_buffer(a, (3,), "int64")
        b[0] = A[0]

    @R.function
    def g(x: R.Tensor((3,), dtype="int64")) -> R.Tensor((3,), dtype="int64"):
        y: R.Tensor((3,), dtype="int64") = R.add(x, x)
        z: R.Tensor((3,), dtype="int64") = R.add(y, x)
        return z
