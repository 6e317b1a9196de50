# Attributes move out of loops and conditions, and neighbours share one; one that mentions a loop stays in it.
# test: opt --pass tir.LiftAttrScope:attr_key=pragma_mark
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.attr(0, "pragma_mark", 1):
                B[i] = A[i]
            if A[i] > T.float32(0):
                with T.attr(0, "pragma_mark", 1):
                    B[i] = T.float32(1)
        for i in range(8):
            with T.attr(0, "pragma_mark", i):
                B[i] = B[i] + T.float32(1)
        for i in range(8):
            with T.attr(0, "pragma_other", 1):
                with T.attr(0, "pragma_mark", 1):
                    B[i] = B[i] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        with T.attr(0, "pragma_mark", 1):
            for i in range(8):
                B[i] = A[i]
                if A[i] > T.float32(0.0):
                    B[i] = T.float32(1.0)
        for i in range(8):
            with T.attr(0, "pragma_mark", i):
                B[i] = B[i] + T.float32(1.0)
        with T.attr(0, "pragma_mark", 1):
            for i in range(8):
                with T.attr(0, "pragma_other", 1):
                    B[i] = B[i] * T.float32(2.0)
