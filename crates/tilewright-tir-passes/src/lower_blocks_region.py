# Declarations of a matched buffer that are not proven are asserted.
# test: opt --pass lower_init --pass lower_blocks
# run: f n=3 m=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.block("diagonal"):
            T.reads(A[0:n, 0:m])
            T.writes(B[0:n])
            X = T.match_buffer(A[0:n, 0:m], (n, n), "float32")
            for i in range(n):
                B[i] = X[i, n - 1 - i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n,), "float32")
        assert n == m, "buffer `X` cannot match a region of `A`: their shapes differ"
        assert n <= T.int64(1) or n * T.int64(1) == m * T.int64(1), "buffer `X` cannot match a region of `A`: their strides differ"
        for i in range(n):
            B[i] = A[T.int64(0) + i, T.int64(0) + (n - T.int64(1) - i)]
