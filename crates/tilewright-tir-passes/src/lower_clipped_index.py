# An index that is held inside its dimension needs no guard, also between symbolic dimensions that hang together.
# test: lower
# run: f m=1 == same
# run: f m=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(p: T.Buffer((3,), "int64"), a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        m = T.int64()
        A = T.match_buffer(a, (T.int64(2), m + T.int64(1), T.int64(8), m), "float32")
        B = T.match_buffer(b, (T.int64(2), m + T.int64(1), T.int64(3), m), "float32")
        for i0, i1, i2, i3 in T.grid(T.int64(2), m + T.int64(1), T.int64(3), m):
            with T.block("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                B[v0, v1, v2, v3] = A[v0, v1, T.max(T.min(p[v2], T.int64(7)), T.int64(0)), v3]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(p: T.Buffer((T.int64(3),), "int64"), a: T.handle, b: T.handle, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        A = T.match_buffer(a, (m * (m * T.int64(16) + T.int64(16)),), "float32")
        B = T.match_buffer(b, (m * (m * T.int64(6) + T.int64(6)),), "float32")
        for i0, i1, i2, i3 in T.grid(T.int64(2), m + T.int64(1), T.int64(3), m):
            B[i0 * m * (m + T.int64(1)) * T.int64(3) + m * i1 * T.int64(3) + m * i2 + i3] = A[i0 * m * (m + T.int64(1)) * T.int64(8) + m * i1 * T.int64(8) + m * T.max(T.min(p[i2], T.int64(7)), T.int64(0)) + i3]
