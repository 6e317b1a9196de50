# A small temporary of a kernel is the thread's own; a large one has a part for each thread, and the host declares it.
# test: opt --pass place_kernel_memory
# run: f n=3 only=interpreter == same

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
