# A small temporary of a kernel is the thread's own; a large one has a part for each thread, and the host declares it.
# test: opt --pass place_kernel_memory
# run: f(f32[3,8]=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23], f32[8], i64=3) only=interpreter == f32[8]=[32, 36, 40, 44, 48, 52, 56, 60]

@I.ir_module
class Module:
    @T.prim_func
    def f(var_A: T.handle, B: T.Buffer((8,), "float32"), n: T.int64):
        A = T.match_buffer(var_A, (n, 8), "float32")
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                small = T.decl_buffer((2,), "float32")
                small[0] = T.float32(1)
                small[1] = T.float32(2)
                large = T.decl_buffer((n,), "float32")
                for i in range(n):
                    large[i] = A[i, bx * 4 + tx] * small[i % T.int64(2)]
                B[bx * 4 + tx] = T.float32(0)
                for i in range(n):
                    B[bx * 4 + tx] = B[bx * 4 + tx] + large[n - T.int64(1) - i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(var_A: T.handle, B: T.Buffer((8,), "float32"), n: T.int64):
        A = T.match_buffer(var_A, (n, 8), "float32")
        large = T.decl_buffer((T.Mul(T.int64(1), T.int64(2)) * T.int64(4), n))
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                small = T.decl_buffer((2,), scope="local")
                small[0] = T.float32(1.0)
                small[1] = T.float32(2.0)
                for i in range(n):
                    large[(T.Mul(T.int64(0), T.int64(2)) + T.Cast("int64", bx)) * T.int64(4) + T.Cast("int64", tx), i] = A[i, bx * 4 + tx] * small[i % T.int64(2)]
                B[bx * 4 + tx] = T.float32(0.0)
                for i in range(n):
                    B[bx * 4 + tx] = B[bx * 4 + tx] + large[(T.Mul(T.int64(0), T.int64(2)) + T.Cast("int64", bx)) * T.int64(4) + T.Cast("int64", tx), n - T.int64(1) - i]
