# A load with stride 2 of an unknown number of elements: the last vector reads only these, and nothing past them.
# test: run
# run: f n=1 == same
# run: f n=2 == same
# run: f n=7 == same
# run: f n=15 == same
# run: f n=16 == same
# run: f n=17 == same
# run: f n=40 == same
# run: f n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, h: T.handle, b: T.handle, d: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (3, T.max(n * 2 - 1, 0)), "float32")
        H = T.match_buffer(h, (3, T.max(n * 2 - 1, 0)), "float16")
        B = T.match_buffer(b, (3, n), "float32")
        D = T.match_buffer(d, (3, n), "float16")
        for i in range(3):
            for j in T.vectorized(n):
                B[i, j] = A[i, j * 2]
            for j in T.vectorized(n):
                D[i, j] = H[i, j * 2]
