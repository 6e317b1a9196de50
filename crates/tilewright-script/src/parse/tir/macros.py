# Macros are written out where they are called: hygienic ones know the names of their definition, others those of the call.
# test: print
# run: f i32=3 == same
# run: g == same

SCALE = 2

@T.macro
def add(buffer, i, by=1.0):
    x: T.float32 = buffer[i] + by
    buffer[i] = x * SCALE

@T.macro(hygienic=False)
def add_n(buffer, i):
    buffer[i] = buffer[i] + T.Cast("float32", n)

@T.macro
def rows(out, source, body=4):
    for i in range(body):
        add(out, i)
        with T.block("row"):
            vi = T.axis.spatial(body, i)
            out[vi] = out[vi] + source[vi]

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            add(A, i)
            add(A, 3 - i, by=A[i])
            add_n(A, i)

    @T.prim_func
    def g(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        offset = T.meta_var(A[0] * T.float32(2))

        @T.macro
        def shifted(i):
            B[i] = A[i] + offset

        for i in range(4):
            shifted(i)
        rows(B, A)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            with T.LetStmt(A[i] + T.float32(1.0)) as x:
                A[i] = x * T.float32(2.0)
            with T.LetStmt(A[3 - i] + A[i]) as x:
                A[3 - i] = x * T.float32(2.0)
            A[i] = A[i] + T.Cast("float32", n)

    @T.prim_func
    def g(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            B[i] = A[i] + A[0] * T.float32(2.0)
        for i in range(4):
            with T.LetStmt(B[i] + T.float32(1.0)) as x:
                B[i] = x * T.float32(2.0)
            with T.block("row"):
                vi = T.axis.spatial(4, i)
                T.reads(B[vi], A[vi])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi]
