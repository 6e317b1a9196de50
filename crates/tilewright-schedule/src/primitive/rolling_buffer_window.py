# A window of rows and columns moves on: the buffer keeps its rows, and an iteration computes what is new in it.
# test: schedule
# step: b = get_block("B")
# step: i, j, k, l = get_loops("C")
# step: compute_at(b, j)
# step: rolling_buffer(b, 0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((12, 9), "float32"), C: T.Buffer((8, 5), "float32")):
        B = T.alloc_buffer((10, 7), "float32")
        for i, j, k, l in T.grid(10, 7, 3, 3):
            with T.block("B"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    B[vi, vj] = T.float32(-1000)
                B[vi, vj] = T.max(B[vi, vj], A[vi + vk, vj + vl])
        for i, j, k, l in T.grid(8, 5, 3, 3):
            with T.block("C"):
                vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + B[vi + vk, vj + vl]

# expect:
