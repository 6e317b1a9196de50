# Threads become loops that end at barriers; what a thread keeps across a barrier has an element for each thread.
# test: opt --pass lower_init --pass lower_blocks --pass serialise_threads
# run: sums == same
# run: kept == same

@I.ir_module
class Module:
    @T.prim_func
    def sums(A: T.Buffer((3, 8), "float32"), B: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": True})
        for bx in T.thread_binding(3, thread="blockIdx.x"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("sums"):
                    T.reads(A[bx, 0:8])
                    T.writes(B[bx])
                    S = T.alloc_buffer((8,), "float32", scope="shared")
                    S[tx] = A[bx, tx]
                    T.tvm_storage_sync("shared")
                    for i in range(3):
                        if tx < T.shift_right(4, i):
                            S[tx] = S[tx] + S[tx + T.shift_right(4, i)]
                        T.tvm_storage_sync("shared")
                    if tx == 0:
                        B[bx] = S[0]

    @T.prim_func
    def kept(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("kept"):
                T.reads(A[0:8])
                T.writes(B[0:8])
                S = T.alloc_buffer((8,), "float32", scope="shared")
                mine = T.alloc_buffer((2,), "float32", scope="local")
                mine[0] = A[tx]
                S[tx] = mine[0] * T.float32(2)
                T.tvm_storage_sync("shared")
                mine[1] = S[7 - tx]
                B[tx] = mine[0] + mine[1]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def kept(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        S = T.decl_buffer((8,), scope="local")
        mine = T.decl_buffer((8, 2), scope="local")
        for tx in range(8):
            mine[tx - 0, 0] = A[tx]
            S[tx] = mine[tx - 0, 0] * T.float32(2.0)
        for tx in range(8):
            mine[tx - 0, 1] = S[7 - tx]
            B[tx] = mine[tx - 0, 0] + mine[tx - 0, 1]

    @T.prim_func
    def sums(A: T.Buffer((3, 8), "float32"), B: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for bx in T.parallel(3):
            S = T.decl_buffer((8,), scope="local")
            for tx in range(8):
                S[tx] = A[bx, tx]
            for i, tx in T.grid(3, 8):
                if tx < 4 >> i:
                    S[tx] = S[tx] + S[tx + (4 >> i)]
            for tx in range(8):
                if tx == 0:
                    B[bx] = S[0]
