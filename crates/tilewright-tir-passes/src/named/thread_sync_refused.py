# A loop that runs differently often in different threads has no place for a barrier.
# test: diagnostics --pass tir.ThreadSync:storage_scope=shared

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            for i in range(tx):
                S[tx] = A[i]
                B[tx] = S[31 - tx]

# expect:
# error[TW0563]: the loop over `i` needs a barrier, and may run differently often in different threads, which would never meet there: give it the same number of iterations in all threads, and a condition inside
