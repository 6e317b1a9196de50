# Loops around blocks, as no operator writes them.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @T.prim_func
    def conv_of_constant(X: T.Buffer((1, 16, 9, 9)), W: T.Buffer((32, 8, 3, 3)), Y: T.Buffer((1, 32, 7, 7))):
        T.func_attr({"layout_free_buffers": [1]})
        for n, f, y, x, c, r, s in T.grid(1, 32, 7, 7, 8, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vf // 16 * 8 + vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]

    @T.prim_func
    def product_backwards(A: T.Buffer((48, 64)), B: T.Buffer((64, 40)), C: T.Buffer((48, 40))):
        for i, j, k in T.grid(48, 40, 64):
            with T.block("sum"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, 63 - vk] * B[vk, vj]

    @T.prim_func
    def product_strided(A: T.Buffer((48, 129)), B: T.Buffer((64, 40)), C: T.Buffer((48, 40))):
        for k, i, j in T.grid(64, 48, 40):
            with T.block("sum"):
                vk, vi, vj = T.axis.remap("RSS", [k, i, j])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk * 2 + 1] * B[vk, vj]

    @T.prim_func
    def correlation(A: T.Buffer((1063,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((1000,), "float32")):
        for i, k in T.grid(1000, 64):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi + vk] * B[vk]

    @T.prim_func
    def greatest_of_windows(A: T.Buffer((16, 105), "float32"), C: T.Buffer((16, 100), "float32")):
        for n, i, k in T.grid(16, 100, 6):
            with T.block("max"):
                vn, vi, vk = T.axis.remap("SSR", [n, i, k])
                with T.init():
                    C[vn, vi] = T.float32("-inf")
                C[vn, vi] = T.max(C[vn, vi], A[vn, vi + vk])

    @T.prim_func
    def two_stages(A: T.Buffer((40, 50), "float32"), B: T.Buffer((50, 40), "float32")):
        t = T.alloc_buffer((40, 50))
        for i, j in T.grid(40, 50):
            with T.block("square"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = A[vi, vj] * A[vi, vj]
        for i, j in T.grid(50, 40):
            with T.block("transpose"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = t[vj, vi] + T.float32(1)

    @T.prim_func
    def guarded(A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32")):
        for i in range(128):
            with T.block("copy"):
                vi = T.axis.spatial(100, i)
                T.where(i < 100)
                B[vi] = A[99 - vi]

    @T.prim_func
    def histogram(A: T.Buffer((500,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(16):
            with T.block("zero"):
                vi = T.axis.spatial(16, i)
                B[vi] = 0
        for i in range(500):
            with T.block("count"):
                vi = T.axis.opaque(500, i)
                B[A[vi] % 16] = B[A[vi] % 16] + 1

    @T.prim_func
    def scheduled_by_hand(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        for i in T.parallel(64):
            for j in T.vectorized(64):
                with T.block("double"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func
    def sizes(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i, j in T.grid(n, m):
            with T.block("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + T.abs(A[vi, vj])
