# A handle in an attribute stays a handle, an empty block of dataflow between two plain ones leaves one, and the end of a
# range shares with its start what it shared.
# test: print

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.Buffer((3,), "int64")):
        T.func_attr({"owner": a})
        A = T.match_buffer(a, (3,), "int64")
        b[0] = A[0]

    @T.prim_func
    def h(A: T.Buffer((8,), "int64"), n: T.int32):
        for i in range(n // T.tvm_thread_invariant(4), n):
            A[i] = T.int64(0)

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

    @T.prim_func
    def h(A: T.Buffer((8,), "int64"), n: T.int32):
        for i in range(n // T.tvm_thread_invariant(4), n // (s := T.tvm_thread_invariant(4)) + (n - n // s)):
            A[i] = T.int64(0)

    @R.function
    def g(x: R.Tensor((3,), dtype="int64")) -> R.Tensor((3,), dtype="int64"):
        y: R.Tensor((3,), dtype="int64") = R.add(x, x)
        z: R.Tensor((3,), dtype="int64") = R.add(y, x)
        return z
