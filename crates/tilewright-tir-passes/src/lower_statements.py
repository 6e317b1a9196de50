# Loops of every extent and start; while, names for values, asserts, blocks of every sort.
# test: run
# run: f(f32[16], f32[16], i32[16], i32=5) == same
# run: g n=0 == same
# run: g n=6 == same
# run: h == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        for i in range(16):
            B[i] = T.float32(-1)
        for i in range(3, 11):
            B[i] = A[i - 3]
        for i in range(n, n - 3):
            B[i] = T.float32(99)
        for i in T.serial(0):
            B[i] = T.float32(98)
        for i in T.unroll(2, 5):
            B[i] = B[i] + T.float32(i)
        for i in T.vectorized(12, 15):
            B[i] = A[i] * T.float32(3)
        for i in T.parallel(4, 9):
            C[i] = i * i
        x = T.alloc_buffer((1,), "int32")
        x[0] = 1
        while x[0] < 12:
            with T.LetStmt(x[0] + 1) as next:
                C[x[0]] = next
                x[0] = next * 2
        assert A.shape[0] == 16, "sixteen"

    @T.prim_func
    def g(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n, 3), "float32")
        B = T.match_buffer(b, (n, 3), "float32")
        for i in range(n):
            with T.block("outer"):
                vi = T.axis.opaque(n, i)
                T.reads(A[vi, 0:3])
                T.writes(B[vi, 0:3])
                T.block_attr({"note": "kept", "number": 3})
                for j in range(4):
                    with T.block("inner"):
                        vj = T.axis.spatial(3, j)
                        T.where(j < 3)
                        T.reads(A[vi, 2 - vj])
                        T.writes(B[vi, vj])
                        B[vi, vj] = A[vi, 2 - vj]
                with T.block("empty"):
                    T.evaluate(0)

    @T.prim_func
    def h(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, ko in T.grid(4, 3):
            for ki in range(3):
                with T.block("sum"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(8, ko * 3 + ki)
                    T.where(ko * 3 + ki < 8)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
        with T.block("whole"):
            T.reads(A[0:4, 0:8])
            T.writes(C[0:8])
            for i in range(8):
                C[i] = A[i % 4, i]

