# Rows of unknown length in vectorised pieces: the last one of a row ends where the row ends. A reduction ends its pieces in
# each of its steps. A condition on anything else than the place stays.
# test: opt --pass partition_loops --pass simplify --pass remove_no_op
# run: f n=0 == same
# run: f n=1 == same
# run: f n=37 == same
# run: f n=128 == same
# run: f n=129 == same
# run: f n=300 == same
# run: g n=0 m=3 == same
# run: g n=1 m=1 == same
# run: g n=37 m=5 == same
# run: g n=200 m=0 == same
# run: g n=200 m=2 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for p in T.parallel((n + T.int64(127)) // T.int64(128)):
            for i in T.vectorized(T.int64(128)):
                if p * T.int64(128) + i < n:
                    B[p * T.int64(128) + i] = A[p * T.int64(128) + i] * T.float32(2)

    @T.prim_func
    def g(a: T.handle, c: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (m, n), "float32")
        C = T.match_buffer(c, (m,), "int32")
        B = T.match_buffer(b, (3, n), "float32")
        for p in T.parallel((n + T.int64(127)) // T.int64(128) * T.int64(3)):
            for k in range(m):
                for i in T.vectorized(T.int64(128)):
                    if p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i < n and C[k] > 0:
                        B[p // ((n + T.int64(127)) // T.int64(128)), p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i] = B[p // ((n + T.int64(127)) // T.int64(128)), p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i] + A[k, p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for p in T.parallel((n + T.int64(127)) // T.int64(128)):
            if T.int64(0) <= n - p * T.int64(128) - T.int64(128):
                for i in T.vectorized(T.int64(128)):
                    B[p * T.int64(128) + i] = A[p * T.int64(128) + i] * T.float32(2.0)
            else:
                for i in T.vectorized(n - p * T.int64(128)):
                    B[p * T.int64(128) + i] = A[p * T.int64(128) + i] * T.float32(2.0)

    @T.prim_func
    def g(a: T.handle, c: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, n), "float32")
        C = T.match_buffer(c, (m,), "int32")
        B = T.match_buffer(b, (3, n), "float32")
        for p in T.parallel((n + T.int64(127)) // T.int64(128) * T.int64(3)):
            for k in range(m):
                for i in T.vectorized(T.min(n - p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128), T.int64(128))):
                    if 0 < C[k]:
                        B[p // ((n + T.int64(127)) // T.int64(128)), p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i] = B[p // ((n + T.int64(127)) // T.int64(128)), p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i] + A[k, p % ((n + T.int64(127)) // T.int64(128)) * T.int64(128) + i]
