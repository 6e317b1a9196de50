# A tiled product: the loop of the reduction moves outwards, its tail runs under a condition.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1 = split(j, [3, None])
# step: k0, k1 = split(k, [None, 4])
# step: reorder(i0, j0, k0, i1, k1, j1)
# step: vectorize(j1)
# step: parallel(i0)
# step: unroll(k1)
# step: annotate(j0, "pragma_hint", 1)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 7), "float32"), B: T.Buffer((7, 11), "float32"), C: T.Buffer((10, 11), "float32")):
        for i, j, k in T.grid(10, 11, 7):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 7), "float32"), B: T.Buffer((7, 11), "float32"), C: T.Buffer((10, 11), "float32")):
        # with T.block("root"):
        for i_0 in T.parallel(3):
            for j_0 in T.serial(3, annotations={"pragma_hint": 1}):
                for k_0, i_1 in T.grid(2, 4):
                    for k_1 in T.unroll(4):
                        for j_1 in T.vectorized(4):
                            with T.block("C"):
                                vi = T.axis.spatial(10, i_0 * 4 + i_1)
                                vj = T.axis.spatial(11, j_0 * 4 + j_1)
                                vk = T.axis.reduce(7, k_0 * 4 + k_1)
                                T.where(i_0 * 4 + i_1 < 10 and j_0 * 4 + j_1 < 11 and k_0 * 4 + k_1 < 7)
                                T.reads(A[vi, vk], B[vk, vj])
                                T.writes(C[vi, vj])
                                with T.init():
                                    C[vi, vj] = T.float32(0.0)
                                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
