# A remainder repeats elements only as an index of an operand, and not together with its quotient: the loop is not split.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: alternating == same
# run: reshaped == same

@I.ir_module
class Module:
    @T.prim_func
    def alternating(A: T.Buffer((192,), "float32"), B: T.Buffer((192,), "float32")):
        for i in range(192):
            with T.block("every_sixteenth"):
                vi = T.axis.spatial(192, i)
                B[vi] = T.Select(vi % 16 == 0, T.float32(0), A[vi])

    @T.prim_func
    def reshaped(A: T.Buffer((3, 64), "float32"), B: T.Buffer((192,), "float32")):
        for i in range(192):
            with T.block("reshape"):
                vi = T.axis.spatial(192, i)
                B[vi] = A[vi // 64, vi % 64]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def alternating(A: T.Buffer((192,), "float32"), B: T.Buffer((192,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i in T.vectorized(192):
            with T.block("every_sixteenth"):
                vi = T.axis.spatial(192, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = T.Select(vi % 16 == 0, T.float32(0.0), A[vi])

    @T.prim_func
    def reshaped(A: T.Buffer((3, 64), "float32"), B: T.Buffer((192,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i in T.vectorized(192):
            with T.block("reshape"):
                vi = T.axis.spatial(192, i)
                T.reads(A[vi // 64, vi % 64])
                T.writes(B[vi])
                B[vi] = A[vi // 64, vi % 64]
