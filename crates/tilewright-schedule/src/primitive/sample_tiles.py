# Tiles that are drawn, and tiles that a decision says.
# test: schedule
# step: b = get_block("C")
# step: i, j = get_loops(b)
# step: f = sample_perfect_tile(i, 3, 4)
# step: split(i, f)
# step: g0, g1 = sample_partitioned_tile(j, 2, 1, 3, decision=[4, 6])
# step: x, y = split(j, [g0, g1])
# step: n = sample_categorical([0, 16], [0.25, 0.75])
# step: annotate(x, "unroll", n)
# step: b = get_block("B")
# step: l = sample_compute_location(b)
# step: enter_postproc()
# step: compute_at(b, l)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((36, 24), "float32"), C: T.Buffer((36, 24), "float32")):
        B = T.alloc_buffer((36, 24), "float32")
        for i, j in T.grid(36, 24):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(36, 24):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((36, 24), "float32"), C: T.Buffer((36, 24), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((36, 24))
        for i_0, i_1, i_2 in T.grid(3, 3, 4):
            for ax1 in range(24):
                with T.block("B"):
                    vi = T.axis.spatial(36, i_0 * 12 + i_1 * 4 + i_2)
                    vj = T.axis.spatial(24, ax1)
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj] + T.float32(1.0)
            for j_0 in T.serial(4, annotations={"unroll": T.int64(0)}):
                for j_1 in range(6):
                    with T.block("C"):
                        vi = T.axis.spatial(36, i_0 * 12 + i_1 * 4 + i_2)
                        vj = T.axis.spatial(24, j_0 * 6 + j_1)
                        T.reads(B[vi, vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = B[vi, vj] * T.float32(2.0)
