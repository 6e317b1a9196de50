# Accesses of one iteration meet those of a later one: of a `while` loop, of inner loops, of two versions.
# test: opt --pass tir.ThreadSync:storage_scope=shared
# run: counted n=5 reference=serial_counted == same
# run: let reference=serial_let == same
# run: versions reference=serial_versions == same

@I.ir_module
class Module:
    @T.prim_func
    def counted(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            c = T.decl_buffer((1,), "int32", scope="local")
            c[0] = 0
            S[tx] = A[tx]
            while c[0] < n:
                B[tx] = B[tx] + S[(tx + 1) % 32]
                S[tx] = B[tx]
                c[0] = c[0] + 1

    @T.prim_func
    def let(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            S[tx] = A[tx]
            for i in range(4):
                with T.LetStmt(S[31 - tx]) as x:
                    S[tx] = x + T.float32(1)
            B[tx] = S[tx]

    @T.prim_func
    def versions(A: T.Buffer((4, 32), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((2, 32), scope="shared")
            for i in range(4):
                S[i % 2, tx] = A[i, tx]
                B[tx] = B[tx] + S[i % 2, 31 - tx]

    @T.prim_func
    def serial_counted(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        S = T.decl_buffer((32,))
        for tx in range(32):
            S[tx] = A[tx]
        for i in range(n):
            for tx in range(32):
                B[tx] = B[tx] + S[(tx + 1) % 32]
            for tx in range(32):
                S[tx] = B[tx]

    @T.prim_func
    def serial_let(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = A[tx] + T.float32(4)

    @T.prim_func
    def serial_versions(A: T.Buffer((4, 32), "float32"), B: T.Buffer((32,), "float32")):
        for i in range(4):
            for tx in range(32):
                B[tx] = B[tx] + A[i, 31 - tx]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def counted(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            c = T.decl_buffer((1,), "int32", scope="local")
            c[0] = 0
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            while c[0] < n:
                T.tvm_storage_sync("shared")
                B[tx] = B[tx] + S[(tx + 1) % 32]
                T.tvm_storage_sync("shared")
                S[tx] = B[tx]
                c[0] = c[0] + 1

    @T.prim_func
    def let(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((32,), scope="shared")
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            for i in range(4):
                T.tvm_storage_sync("shared")
                x: T.float32 = S[31 - tx]
                T.tvm_storage_sync("shared")
                S[tx] = x + T.float32(1.0)
            B[tx] = S[tx]

    @T.prim_func
    def serial_counted(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), n: T.int32):
        S = T.decl_buffer((32,))
        for tx in range(32):
            S[tx] = A[tx]
        for i in range(n):
            for tx in range(32):
                B[tx] = B[tx] + S[(tx + 1) % 32]
            for tx in range(32):
                S[tx] = B[tx]

    @T.prim_func
    def serial_let(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for tx in range(32):
            B[tx] = A[tx] + T.float32(4.0)

    @T.prim_func
    def serial_versions(A: T.Buffer((4, 32), "float32"), B: T.Buffer((32,), "float32")):
        for i, tx in T.grid(4, 32):
            B[tx] = B[tx] + A[i, 31 - tx]

    @T.prim_func
    def versions(A: T.Buffer((4, 32), "float32"), B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.decl_buffer((2, 32), scope="shared")
            for i in range(4):
                T.tvm_storage_sync("shared")
                S[i % 2, tx] = A[i, tx]
                T.tvm_storage_sync("shared")
                B[tx] = B[tx] + S[i % 2, 31 - tx]
