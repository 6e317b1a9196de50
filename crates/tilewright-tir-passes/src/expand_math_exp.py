# The exponential is a power of two times a polynomial; intermediate values have names.
# test: opt --pass expand_math

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(((((((T.float32(0.0013838835) * r + T.float32(0.008369191)) * r + T.float32(0.041668102)) * r + T.float32(0.16666517)) * r + T.float32(0.49999994)) * r + T.float32(1.0)) * r + T.float32(1.0)) * T.reinterpret("float32", half + 127 << 23) * T.reinterpret("float32", n_1 - half + 127 << 23), where={half: n_1 >> 1}), where={n_1: T.reinterpret("int32", t) - 1262485504}), where={r: x_1 - n * T.float32(0.69314575) - n * T.float32(1.4286068e-6)}), where={n: t - T.float32(12582912.0)}), where={t: x_1 * T.float32(1.442695) + T.float32(12582912.0)}), where={x_1: T.min(T.max(x, T.float32(-120.0)), T.float32(90.0))}), where={x: A[i]})
