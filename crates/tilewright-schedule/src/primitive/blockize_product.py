# A tile of a product becomes a block, whose init begins the whole tile.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1 = split(j, [None, 3])
# step: k0, k1 = split(k, [None, 2])
# step: reorder(i0, j0, k0, i1, j1, k1)
# step: t = blockize(i1)
# step: l = get_loops(t)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((8, 9), "float32")):
        for i, j, k in T.grid(8, 9, 6):
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
    def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((8, 9), "float32")):
        # with T.block("root"):
        for i_0, j_0, k_0 in T.grid(2, 3, 3):
            with T.block("C_o"):
                vi_o, vj_o, vk_o = T.axis.remap("SSR", [i_0, j_0, k_0])
                T.reads(A[vi_o * 4:vi_o * 4 + 4, vk_o * 2:vk_o * 2 + 2], B[vk_o * 2:vk_o * 2 + 2, vj_o * 3:vj_o * 3 + 3])
                T.writes(C[vi_o * 4:vi_o * 4 + 4, vj_o * 3:vj_o * 3 + 3])
                with T.init():
                    for i_1_init, j_1_init in T.grid(4, 3):
                        with T.block("C_init"):
                            vi_i, vj_i = T.axis.remap("SS", [i_1_init, j_1_init])
                            T.reads()
                            T.writes(C[vi_o * 4 + vi_i, vj_o * 3 + vj_i])
                            C[vi_o * 4 + vi_i, vj_o * 3 + vj_i] = T.float32(0.0)
                for i_1, j_1, k_1 in T.grid(4, 3, 2):
                    with T.block("C"):
                        vi_i, vj_i, vk_i = T.axis.remap("SSR", [i_1, j_1, k_1])
                        T.reads(C[vi_o * 4 + vi_i, vj_o * 3 + vj_i], A[vi_o * 4 + vi_i, vk_o * 2 + vk_i], B[vk_o * 2 + vk_i, vj_o * 3 + vj_i])
                        T.writes(C[vi_o * 4 + vi_i, vj_o * 3 + vj_i])
                        C[vi_o * 4 + vi_i, vj_o * 3 + vj_i] = C[vi_o * 4 + vi_i, vj_o * 3 + vj_i] + A[vi_o * 4 + vi_i, vk_o * 2 + vk_i] * B[vk_o * 2 + vk_i, vj_o * 3 + vj_i]
