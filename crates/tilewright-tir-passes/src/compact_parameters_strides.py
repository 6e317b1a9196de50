# Strides and offsets that parameters declare by variables are those of compact tensors.
# test: opt --pass compact_parameters
# run: f n=3 m=5 == same
# run: f n=1 m=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, s: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        m = T.int64()
        s0 = T.int64()
        s1 = T.int64()
        first = T.int64()
        A = T.match_buffer(a, (n, m), "float32", strides=(s0, s1), elem_offset=first)
        B = T.match_buffer(b, (n, m), "float32", strides=(m, 1))
        S = T.match_buffer(s, (3,), "int64")
        S[0] = s0
        S[1] = s1
        S[2] = first
        for i, j in T.grid(n, m):
            B[i, j] = A[i, j] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, s: T.Buffer((3,), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32", elem_offset=T.int64(0))
        B = T.match_buffer(b, (n, m), "float32", strides=[m, 1])
        s[0] = T.int64(1) * T.max(m, T.int64(1))
        s[1] = T.int64(1)
        s[2] = T.int64(0)
        for i, j in T.grid(n, m):
            B[i, j] = A[i, j] + T.float32(1.0)
