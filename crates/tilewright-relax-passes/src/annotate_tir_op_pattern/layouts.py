# What has an effect, or a parameter that is no compact tensor in global memory, is opaque.
# test: opt --pass AnnotateTIROpPattern


@I.ir_module
class Module:
    @T.prim_func
    def strided(a: T.handle, B: T.Buffer((4,), "float32")):
        A = T.match_buffer(a, (4,), "float32", strides=(2,))
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]

    @T.prim_func
    def shared(a: T.handle, B: T.Buffer((4,), "float32")):
        A = T.match_buffer(a, (4,), "float32", scope="shared")
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]

    @T.prim_func
    def effect(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.call_extern("float32", "f", A[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def effect(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = T.call_extern("float32", "f", A[vi])

    @T.prim_func
    def shared(a: T.Buffer((4,), "float32", scope="shared"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi])
                T.writes(B[vi])
                B[vi] = a[vi]

    @T.prim_func
    def strided(a: T.Buffer((4,), "float32", strides=[2]), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi])
                T.writes(B[vi])
                B[vi] = a[vi]
