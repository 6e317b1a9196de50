# A view of another type reads and writes the bits of what its owner holds; memory of another scope is memory.
# test: opt --pass lower_init --pass lower_blocks --pass flatten_buffers
# run: f == same
# run: g == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")):
        T.func_attr({"tir.noalias": True})
        X = T.decl_buffer((24,), "int32", data=A.data)
        Y = T.decl_buffer((6, 4), "uint32", data=B.data)
        for i in range(24):
            Y[i // 4, i % 4] = T.Cast("uint32", X[23 - i] & T.int32(0x7F7FFFFF))

    @T.prim_func
    def g(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        S = T.decl_buffer((8,), scope="shared.dyn")
        G = T.decl_buffer((8,), scope="global.texture")
        L = T.decl_buffer((8,), scope="local")
        for i in range(8):
            S[i] = A[i] + A[i]
        for i in range(8):
            G[i] = S[7 - i]
        for i in range(8):
            L[i] = G[i]
        for i in range(8):
            B[i] = L[i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((T.int64(24),), "float32"), B: T.Buffer((T.int64(24),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(24):
            B[T.int64(0) + T.Cast("int64", i // 4) * T.Cast("int64", T.Mul(4, 1)) + T.Cast("int64", i % 4) * T.int64(1)] = T.reinterpret("float32", T.Cast("uint32", T.reinterpret("int32", A[T.int64(0) + T.Cast("int64", 23 - i) * T.int64(1)]) & 2139095039))

    @T.prim_func
    def g(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        S = T.decl_buffer((T.int64(8),))
        G = T.decl_buffer((T.int64(8),))
        L = T.decl_buffer((T.int64(8),), scope="local")
        for i in range(8):
            S[T.int64(0) + T.Cast("int64", i) * T.int64(1)] = A[T.int64(0) + T.Cast("int64", i) * T.int64(1)] + A[T.int64(0) + T.Cast("int64", i) * T.int64(1)]
        for i in range(8):
            G[T.int64(0) + T.Cast("int64", i) * T.int64(1)] = S[T.int64(0) + T.Cast("int64", 7 - i) * T.int64(1)]
        for i in range(8):
            L[T.int64(0) + T.Cast("int64", i) * T.int64(1)] = G[T.int64(0) + T.Cast("int64", i) * T.int64(1)]
        for i in range(8):
            B[T.int64(0) + T.Cast("int64", i) * T.int64(1)] = L[T.int64(0) + T.Cast("int64", i) * T.int64(1)]
