# Constructors by their names, a macro of the graph, and a packed call by its older name.
# test: parse
# run: main == same
# run: f(f32[4], f32[4]) == same

@R.macro
def twice(a):
    b = R.add(a, a)
    return b

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.tvm_call_packed("test.copy", A.data, B.data)

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.reshape(x, R.ShapeExpr([3, 2]))
        t = (x, y)
        z = R.TupleGetItem(t, 1)
        w = twice(z)
        return w

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.call_packed("test.copy", T.address_of(A[0]), T.address_of(B[0]))

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((3, 2), dtype="float32"):
        y: R.Tensor((3, 2), dtype="float32") = R.reshape(x, R.shape([3, 2]))
        t: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3, 2), dtype="float32")) = (x, y)
        z: R.Tensor((3, 2), dtype="float32") = t[1]
        b: R.Tensor((3, 2), dtype="float32") = R.add(z, z)
        w: R.Tensor((3, 2), dtype="float32") = b
        return w
