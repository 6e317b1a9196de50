# A prefetched element need not exist; an index that is loaded for it has to.
# test: run
# run: main == same
# run: symbolic n=0 == same
# run: symbolic n=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9,), "float32"), Y: T.Buffer((9,), "float32")):
        for i in range(9):
            T.evaluate(T.prefetch(T.address_of(A[i + 64]), 0, 3, 1))
            T.evaluate(T.prefetch(T.address_of(A[i - 64])))
            Y[i] = A[i] * T.float32(2)

    @T.prim_func
    def symbolic(var_A: T.handle, var_Y: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 3), "float32")
        Y = T.match_buffer(var_Y, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            T.evaluate(T.prefetch(T.address_of(A[i + 8, j])))
            Y[i, j] = A[i, j] * T.float32(2)
