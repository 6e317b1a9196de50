# A reduction inside a block reads what it writes; to the block around it, that is writing.
# test: run
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("outer"):
                vi = T.axis.spatial(8, i)
                for k in range(8):
                    with T.block("inner"):
                        vk = T.axis.reduce(8, k)
                        with T.init():
                            B[vi] = T.float32(1)
                        B[vi] = B[vi] * A[vi, vk]
