# Threads fetch tiles together: each loop over threads inside stands for the same threads as the one around it.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: by, ty, yi = split(i, [None, 2, 2])
# step: bx, tx, xi = split(j, [None, 2, 2])
# step: ko, ki = split(k, [None, 4])
# step: reorder(by, bx, ty, tx, ko, ki, yi, xi)
# step: bind(by, "blockIdx.y")
# step: bind(bx, "blockIdx.x")
# step: bind(ty, "threadIdx.y")
# step: bind(tx, "threadIdx.x")
# step: c = cache_write(b, 0, "local")
# step: reverse_compute_at(c, tx)
# step: a = cache_read(b, 0, "shared")
# step: compute_at(a, ko)
# step: a0, a1, a2, a3, a4, a5, a6 = get_loops(a)
# step: f = fuse(a5, a6)
# step: f0, fy, fx = split(f, [None, 2, 2])
# step: bind(fy, "threadIdx.y")
# step: bind(fx, "threadIdx.x")
# step: w = cache_read(b, 1, "shared")
# step: compute_at(w, ko)
# step: decompose_reduction(b, ko)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        for i, j, k in T.grid(8, 8, 8):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
