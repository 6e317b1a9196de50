# Three loops fused, and bound to threads in whole blocks of them.
# test: schedule
# step: i, j, k = get_loops("B")
# step: f = fuse(i, j, k)
# step: o, t = split(f, [None, 128])
# step: bind(o, "blockIdx.x")
# step: bind(t, "threadIdx.x")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 32, 64), "float32"), B: T.Buffer((4, 32, 64), "float32")):
        for i, j, k in T.grid(4, 32, 64):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)

# expect:
