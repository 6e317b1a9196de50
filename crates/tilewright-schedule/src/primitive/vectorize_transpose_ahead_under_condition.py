# Prefetches are under the condition of their tile.
# test: schedule
# step: b = get_block("B")
# step: vectorize_transpose(b, 4, True)
# run: main m=0 == same
# run: main m=2 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 8, 8), "float32"), m: T.int32, B: T.Buffer((4, 8, 8), "float32")):
        for b, i, j in T.grid(4, 8, 8):
            with T.block("B"):
                vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                T.where(b < m)
                B[vb, vi, vj] = A[vb, vj, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 8, 8), "float32"), m: T.int32, B: T.Buffer((4, 8, 8), "float32")):
        # with T.block("root"):
        for b in range(4):
            with T.block("B"):
                T.reads(A[b, 0:8, 0:8])
                T.writes(B[b, 0:8, 0:8])
                for j_tile, i_tile in T.grid(2, 2):
                    if b < m:
                        T.evaluate(T.prefetch(T.address_of(B[b, (i_tile + 1) * 4 + 0, j_tile * 4]), 1, 2))
                        T.evaluate(T.prefetch(T.address_of(B[b, (i_tile + 1) * 4 + 1, j_tile * 4]), 1, 2))
                        T.evaluate(T.prefetch(T.address_of(B[b, (i_tile + 1) * 4 + 2, j_tile * 4]), 1, 2))
                        T.evaluate(T.prefetch(T.address_of(B[b, (i_tile + 1) * 4 + 3, j_tile * 4]), 1, 2))
                        row: T.float32x4 = A[b, j_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)]
                        row_1: T.float32x4 = A[b, j_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)]
                        row_2: T.float32x4 = A[b, j_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)]
                        row_3: T.float32x4 = A[b, j_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)]
                        shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        B[b, i_tile * 4 + 0, T.Ramp(j_tile * 4, 1, 4)] = shuffled_4
                        B[b, i_tile * 4 + 1, T.Ramp(j_tile * 4, 1, 4)] = shuffled_5
                        B[b, i_tile * 4 + 2, T.Ramp(j_tile * 4, 1, 4)] = shuffled_6
                        B[b, i_tile * 4 + 3, T.Ramp(j_tile * 4, 1, 4)] = shuffled_7
