# Rows of the result that are whole cache lines: none of them is read before it is written, and the following elements along
# what is read are prefetched line by line.
# test: schedule
# step: b = get_block("B")
# step: i, j = get_loops(b)
# step: rows, row = split(i, [None, 32])
# step: columns, column = split(j, [None, 32])
# step: reorder(columns, rows, row, column)
# step: stage_transpose(b, 2, True)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 96), "float32"), B: T.Buffer((96, 64), "float32")):
        for i, j in T.grid(96, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 96), "float32"), B: T.Buffer((96, 64), "float32")):
        # with T.block("root"):
        for j_0, i_0 in T.grid(2, 3):
            with T.block("B"):
                T.reads(A[j_0 * 32:j_0 * 32 + 32, i_0 * 32:i_0 * 32 + 32])
                T.writes(B[i_0 * 32:i_0 * 32 + 32, j_0 * 32:j_0 * 32 + 32])
                A_transposed = T.alloc_buffer((32, 48), scope="local", align=64)
                for i_1_tile in range(1):
                    for j_1_tile, row_tile in T.grid(16, 16):
                        row: T.float32x2 = A[j_0 * 32 + (j_1_tile * 2 + 0), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 2), 1, 2)]
                        row_1: T.float32x2 = A[j_0 * 32 + (j_1_tile * 2 + 1), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 2), 1, 2)]
                        shuffled: T.float32x2 = T.Shuffle([row, row_1], [0, 2])
                        shuffled_1: T.float32x2 = T.Shuffle([row, row_1], [1, 3])
                        A_transposed[row_tile * 2 + 0, T.Ramp(j_1_tile * 2, 1, 2)] = shuffled
                        A_transposed[row_tile * 2 + 1, T.Ramp(j_1_tile * 2, 1, 2)] = shuffled_1
                    for row in range(32):
                        for at in range(2):
                            T.evaluate(T.prefetch(T.address_of(A[j_0 * 32 + (row * 2 + at) // 2, i_0 * 32 + (i_1_tile * 32 + (row * 2 + at) % 2 * 16 + 47)]), 0, 2))
                        for j_1 in T.vectorized(32):
                            B[i_0 * 32 + (i_1_tile * 32 + row), j_0 * 32 + j_1] = A_transposed[row, j_1]
