# The last column, whose loop does not begin at 0, becomes blocks.
# test: schedule
# step: b = get_block("D")
# step: i, j = get_loops(b)
# step: p, q = loop_partition(j, [2, None])
# step: t = blockize(q)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 3), "float32"), D: T.Buffer((4, 3), "float32")):
        for i, j in T.grid(4, 3):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = A[vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 3), "float32"), D: T.Buffer((4, 3), "float32")):
        # with T.block("root"):
        for i in range(4):
            for j_0 in range(2):
                with T.block("D"):
                    vi = T.axis.spatial(4, i)
                    vj = T.axis.spatial(3, j_0)
                    T.reads(A[vi, vj])
                    T.writes(D[vi, vj])
                    D[vi, vj] = A[vi, vj] + T.float32(1.0)
            with T.block("D_1_o"):
                vi_o = T.axis.spatial(4, i)
                vj_o = T.axis.spatial(1, 0)
                T.reads(A[vi_o, 2])
                T.writes(D[vi_o, 2])
                for j_1 in range(2, 3):
                    with T.block("D_1"):
                        T.reads(A[vi_o, 2])
                        T.writes(D[vi_o, 2])
                        D[vi_o, 2] = A[vi_o, 2] + T.float32(1.0)
