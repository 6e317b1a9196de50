# All threads come to a barrier: conditions that differ between threads are taken apart around it.
# test: opt --pass tir.ThreadSync:storage_scope=shared
# run: half reference=serial_half == same
# run: nested n=5 reference=serial_nested == same
# run: shared_condition reference=serial_shared_condition == same

@I.ir_module
class Module:
    @T.prim_func
    def half(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            if tx < 16:
                S[tx] = A[tx]
                B[tx] = S[15 - tx]

    @T.prim_func
    def nested(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            if tx < 16:
                if n > 2:
                    for i in range(3):
                        S[tx] = A[tx] + T.Cast("float32", i)
                        B[tx] = B[tx] + S[15 - tx]

    @T.prim_func
    def shared_condition(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            S[tx] = A[tx]
            if S[31 - tx] > T.float32(0):
                S[tx] = T.float32(1)
            else:
                S[tx] = T.float32(2)
            B[tx] = S[31 - tx]

    @T.prim_func
    def serial_half(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(16):
            B[tx] = A[15 - tx]

    @T.prim_func
    def serial_nested(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        if n > 2:
            for i in range(3):
                for tx in range(16):
                    B[tx] = B[tx] + (A[15 - tx] + T.Cast("float32", i))

    @T.prim_func
    def serial_shared_condition(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = T.if_then_else(A[tx] > T.float32(0), T.float32(1), T.float32(2))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def half(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            if tx < 16:
                S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            if tx < 16:
                B[tx] = S[15 - tx]

    @T.prim_func
    def nested(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            if n > 2:
                for i in range(3):
                    T.tvm_storage_sync("shared")
                    if tx < 16:
                        S[tx] = A[tx] + T.Cast("float32", i)
                    T.tvm_storage_sync("shared")
                    if tx < 16:
                        B[tx] = B[tx] + S[15 - tx]

    @T.prim_func
    def serial_half(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(16):
            B[tx] = A[15 - tx]

    @T.prim_func
    def serial_nested(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        if n > 2:
            for i, tx in T.grid(3, 16):
                B[tx] = B[tx] + (A[15 - tx] + T.Cast("float32", i))

    @T.prim_func
    def serial_shared_condition(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = T.if_then_else(A[tx] > T.float32(0.0), T.float32(1.0), T.float32(2.0))

    @T.prim_func
    def shared_condition(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            with T.LetStmt(S[31 - tx] > T.float32(0.0)) as condition:
                T.tvm_storage_sync("shared")
                if condition:
                    S[tx] = T.float32(1.0)
                T.tvm_storage_sync("shared")
                if not condition:
                    S[tx] = T.float32(2.0)
            T.tvm_storage_sync("shared")
            B[tx] = S[31 - tx]
