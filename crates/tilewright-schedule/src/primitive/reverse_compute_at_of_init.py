# An init of its own writes what the update does: a block goes after both.
# test: schedule
# step: b = get_block("B")
# step: i, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: reorder(i0, k, i1)
# step: decompose_reduction(b, k)
# step: y = get_block("Y")
# step: reverse_compute_at(y, i0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 5), "float32"), Y: T.Buffer((8,), "float32")):
        B = T.alloc_buffer((8,), "float32")
        for i, k in T.grid(8, 5):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + X[vi, vk]
        for i in range(8):
            with T.block("Y"):
                vi = T.axis.spatial(8, i)
                Y[vi] = T.max(B[vi], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 5), "float32"), Y: T.Buffer((8,), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((8,))
        for i_0 in range(2):
            for i_1_init in range(4):
                with T.block("B_init"):
                    vi = T.axis.spatial(8, i_0 * 4 + i_1_init)
                    T.reads()
                    T.writes(B[vi])
                    B[vi] = T.float32(0.0)
            for k, i_1 in T.grid(5, 4):
                with T.block("B_update"):
                    vi = T.axis.spatial(8, i_0 * 4 + i_1)
                    vk = T.axis.reduce(5, k)
                    T.reads(B[vi], X[vi, vk])
                    T.writes(B[vi])
                    B[vi] = B[vi] + X[vi, vk]
            for ax0 in range(4):
                with T.block("Y"):
                    vi = T.axis.spatial(8, i_0 * 4 + ax0)
                    T.reads(B[vi])
                    T.writes(Y[vi])
                    Y[vi] = T.max(B[vi], T.float32(0.0))
