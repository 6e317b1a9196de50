# What is no part of a kernel becomes one of a single thread; a parallel loop has a block for each iteration.
# test: opt --pass form_kernels
# run: f(f32[4]=[1, 2, 3, 4], f32[4], f32[4]) only=interpreter == f32[4]=[4, 8, 14, 22]

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
        if A[0] > T.float32(5):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                C[tx] = T.float32(0)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for thread in T.thread_binding(T.int64(1), thread="threadIdx.x"):
            B[0] = A[0]
            for i in range(1, 4):
                B[i] = A[i] + B[i - 1]
        for i in T.thread_binding(4, thread="blockIdx.x"):
            for j in range(1):
                C[i] = B[i] * T.float32(2.0)
        for k in range(2):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                C[tx] = C[tx] + T.float32(1.0)
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            if A[0] > T.float32(5.0):
                C[tx] = T.float32(0.0)
