# A reduction over nothing is its init, wherever the loops of the reduction are.
# test: opt --pass lower_init
# run: inside == same
# run: outside == same
# run: between == same

@I.ir_module
class Module:
    @T.prim_func
    def inside(A: T.Buffer((4, 0), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 0):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def outside(a: T.handle, B: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (4, n), "float32")
        for k, i in T.grid(n, 4):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def between(A: T.Buffer((2, 0, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, k, j in T.grid(2, 0, 3):
            with T.block("sum"):
                vi, vk, vj = T.axis.remap("SRS", [i, k, j])
                with T.init():
                    B[vi, vj] = T.float32(1)
                B[vi, vj] = B[vi, vj] * A[vi, vk, vj]

# expect:
