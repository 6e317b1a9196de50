# Matrices that are seen as one: a view without gaps that has no more elements than the memory that it views is no more to
# check than its dimensions, whatever their sizes. Of a view whose size nothing relates to the memory each access is checked.
# test: lower
# run: main m=2 n=5 k=4 == same
# run: main m=7 n=1 k=21 special == same
# run: main m=0 n=3 k=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle, c: T.handle):
        m, n, k = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (T.int64(3), m, n), "float32")
        B = T.match_buffer(b, (T.int64(3), m, n), "float32")
        C = T.match_buffer(c, (k,), "float32")
        rows = T.decl_buffer((m * T.int64(3), n), data=A.data)
        results = T.decl_buffer((m * T.int64(3), n), data=B.data)
        flat = T.decl_buffer((k,), data=A.data)
        for i in T.parallel(m * T.int64(3)):
            for j in range(n):
                results[i, j] = rows[i, j] * T.float32(2)
        for i in range(k):
            C[i] = flat[i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle, c: T.handle, m: T.int64, n: T.int64, k: T.int64):
        A = T.match_buffer(a, (m * n * T.int64(3),), "float32")
        B = T.match_buffer(b, (m * n * T.int64(3),), "float32")
        C = T.match_buffer(c, (k,), "float32")
        for i in T.parallel(m * T.int64(3)):
            for j in range(n):
                B[i * n + j] = A[i * n + j] * T.float32(2.0)
        assert T.if_then_else(T.int64(0) < k, k <= m * n * T.int64(3), T.bool(True)), "index out of range: buffer `flat` in the memory that it views"
        for i in range(k):
            C[i] = A[i]
