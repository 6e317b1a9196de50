# A conversion that the text names is a node, also of a constant and to the same type.
# test: print
# run: main(f32[4]=[-2.5, 3, 9, 0], f32[8]) == f32[8]=[1, -3, 1, -2.5, 1, 200, 1, 1.5]

@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
    B[0] = T.Cast("float32", 1)
    B[1] = T.Cast("float32", T.int64(-3))
    B[2] = T.Cast("float32", T.Cast("bool", 7))
    B[3] = T.Cast("float32", A[0])
    B[4] = T.cast(T.cast(1, "int64"), "float32")
    B[5] = T.Cast("float32", T.Cast("uint8", 456))
    B[T.Ramp(6, 1, 2)] = T.Cast("float32x2", T.Shuffle([T.Cast("float64", T.float32(1.0)), T.float64(1.5)], [0, 1]))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        B[0] = T.Cast("float32", 1)
        B[1] = T.Cast("float32", T.int64(-3))
        B[2] = T.Cast("float32", T.Cast("bool", 7))
        B[3] = T.Cast("float32", A[0])
        B[4] = T.float32(1.0)
        B[5] = T.Cast("float32", T.Cast("uint8", 456))
        B[T.Ramp(6, 1, 2)] = T.Cast("float32x2", T.Shuffle([T.Cast("float64", T.float32(1.0)), T.float64(1.5)], [0, 1]))
