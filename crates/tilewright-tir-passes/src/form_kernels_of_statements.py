# What is no part of a kernel becomes one of a single thread; a parallel loop has a block for each iteration.
# test: opt --pass form_kernels
# run: f only=interpreter == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        B[0] = A[0]
        for i in range(1, 4):
            B[i] = A[i] + B[i - 1]
        for i in T.parallel(4):
            for j in T.parallel(1):
                C[i] = B[i] * T.float32(2)
        for k in range(2):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                C[tx] = C[tx] + T.float32(1)
        if A[0] > T.float32(0):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                C[tx] = T.float32(0)

# expect:
