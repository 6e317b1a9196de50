# Barriers where one index does not tell all threads apart: another axis, a quotient, a loop, a block's number. In the
# last function each thread has elements of its own, in rows of odd length.
# test: opt --pass tir.ThreadSync:storage_scope=shared
# run: axes reference=serial_axes == same
# run: quotient reference=serial_quotient == same
# run: loops reference=serial_loops == same
# run: rows reference=serial_rows == same

@I.ir_module
class Module:
    @T.prim_func
    def axes(A: T.Buffer((32,), "float32"), B: T.Buffer((128,), "float32")):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                S = T.decl_buffer((32,), scope="shared")
                if ty == 0:
                    S[tx] = A[tx]
                B[ty * 32 + tx] = S[tx]

    @T.prim_func
    def quotient(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((16,), scope="shared")
            if tx % 2 == 0:
                S[tx // 2] = A[tx]
            B[tx] = S[tx // 2]

    @T.prim_func
    def loops(A: T.Buffer((36,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((35,), scope="shared")
            for i in range(4):
                S[i + tx] = A[tx] + T.Cast("float32", i)
                B[tx] = B[tx] + S[i + tx]

    @T.prim_func
    def rows(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32")):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                S = T.decl_buffer((4 * 33,), scope="shared")
                for i in range(4):
                    S[ty * 33 + tx * 4 + i] = A[ty, tx * 4 + i]
                    B[ty, tx * 4 + i] = S[ty * 33 + tx * 4 + i] + T.float32(1)

    @T.prim_func
    def serial_axes(A: T.Buffer((32,), "float32"), B: T.Buffer((128,), "float32")):
        for ty, tx in T.grid(4, 32):
            B[ty * 32 + tx] = A[tx]

    @T.prim_func
    def serial_quotient(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = A[tx // 2 * 2]

    @T.prim_func
    def serial_loops(A: T.Buffer((36,), "float32"), B: T.Buffer((32,), "float32")):
        for i in range(4):
            for tx in range(32):
                B[tx] = B[tx] + (A[tx] + T.Cast("float32", i))

    @T.prim_func
    def serial_rows(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32")):
        for ty, i in T.grid(4, 32):
            B[ty, i] = A[ty, i] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def axes(A: T.Buffer((32,), "float32"), B: T.Buffer((128,), "float32")):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                S = T.decl_buffer((32,), scope="shared")
                if ty == 0:
                    S[tx] = A[tx]
                T.tvm_storage_sync("shared")
                B[ty * 32 + tx] = S[tx]

    @T.prim_func
    def loops(A: T.Buffer((36,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((35,), scope="shared")
            for i in range(4):
                T.tvm_storage_sync("shared")
                S[i + tx] = A[tx] + T.Cast("float32", i)
                B[tx] = B[tx] + S[i + tx]

    @T.prim_func
    def quotient(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((16,), scope="shared")
            if tx % 2 == 0:
                S[tx // 2] = A[tx]
            T.tvm_storage_sync("shared")
            B[tx] = S[tx // 2]

    @T.prim_func
    def rows(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32")):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                S = T.decl_buffer((132,), scope="shared")
                for i in range(4):
                    S[ty * 33 + tx * 4 + i] = A[ty, tx * 4 + i]
                    B[ty, tx * 4 + i] = S[ty * 33 + tx * 4 + i] + T.float32(1.0)

    @T.prim_func
    def serial_axes(A: T.Buffer((32,), "float32"), B: T.Buffer((128,), "float32")):
        for ty, tx in T.grid(4, 32):
            B[ty * 32 + tx] = A[tx]

    @T.prim_func
    def serial_loops(A: T.Buffer((36,), "float32"), B: T.Buffer((32,), "float32")):
        for i, tx in T.grid(4, 32):
            B[tx] = B[tx] + (A[tx] + T.Cast("float32", i))

    @T.prim_func
    def serial_quotient(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = A[tx // 2 * 2]

    @T.prim_func
    def serial_rows(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32")):
        for ty, i in T.grid(4, 32):
            B[ty, i] = A[ty, i] + T.float32(1.0)
