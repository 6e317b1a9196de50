# Of few, expensive rows, parts are tasks: all threads have work. A step that says itself how its loops run
# does not keep the stage after it from being scheduled.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: few == same
# run: step == same

@I.ir_module
class Module:
    @T.prim_func
    def few(A: T.Buffer((3, 1500), "float64"), B: T.Buffer((1500,), "float64"), C: T.Buffer((3, 1500), "float64")):
        for i, j in T.grid(3, 1500):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.pow(T.abs(A[vi, vj]), B[vj])

    @T.prim_func
    def step(A: T.Buffer((4, 20000), "float32"), C: T.Buffer((4, 20000), "float32")):
        D = T.alloc_buffer((4, 20000))
        with T.block("line"):
            T.reads(A[0:4, 0:20000], D[0:4, 0:20000])
            T.writes(D[0:4, 0:20000])
            for i in T.parallel(4):
                for j in range(20000):
                    if j == 0:
                        D[i, j] = A[i, j]
                    else:
                        D[i, j] = D[i, j - 1] + A[i, j]
        for i, j in T.grid(4, 20000):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = D[vi, vj] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def few(A: T.Buffer((3, 1500), "float64"), B: T.Buffer((1500,), "float64"), C: T.Buffer((3, 1500), "float64")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i_j_0_fused in T.parallel(18):
            for j_1 in T.vectorized(256):
                with T.block("C"):
                    vi = T.axis.spatial(3, i_j_0_fused // 6)
                    vj = T.axis.spatial(1500, i_j_0_fused % 6 * 256 + j_1)
                    T.where(i_j_0_fused % 6 * 256 + j_1 < 1500)
                    T.reads(A[vi, vj], B[vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.pow(T.abs(A[vi, vj]), B[vj])

    @T.prim_func
    def step(A: T.Buffer((4, 20000), "float32"), C: T.Buffer((4, 20000), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        D = T.alloc_buffer((4, 20000))
        with T.block("line"):
            T.reads(A[0:4, 0:20000], D[0:4, 0:20000])
            T.writes(D[0:4, 0:20000])
            for i in T.parallel(4):
                for j in range(20000):
                    if j == 0:
                        D[i, j] = A[i, j]
                    else:
                        D[i, j] = D[i, j - 1] + A[i, j]
        for i_j_fused_0 in T.parallel(25):
            for i_j_fused_1 in T.vectorized(3200):
                with T.block("C"):
                    vi = T.axis.spatial(4, (i_j_fused_0 * 3200 + i_j_fused_1) // 20000)
                    vj = T.axis.spatial(20000, (i_j_fused_0 * 3200 + i_j_fused_1) % 20000)
                    T.reads(D[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = D[vi, vj] * T.float32(2.0)
