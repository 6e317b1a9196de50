# Loops over threads in every spelling, operations of targets, attributes.
# test: print
# run: turned(f32[2, 4]=[1, 2, 3, 4, 5, 6, 7, 8], f32[2, 4]) only=interpreter == f32[2, 4]=[4, 3, 2, 1, 8, 7, 6, 5]
# run: launched_again(f32[4]=[1, 2, 3, 4]) only=interpreter == f32[4]=[2, 4, 6, 8]

@I.ir_module
class Module:
    @T.prim_func
    def launched(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
        bx = T.env_thread("blockIdx.x")
        tx = T.env_thread("threadIdx.x")
        with T.launch_thread(bx, 8):
            S = T.allocate([16], "float32", "shared.dyn")
            W = T.allocate([256], "float16", "wmma.matrix_a")
            with T.launch_thread(tx, 16):
                with T.launch_thread("vthread.x", 2) as vx:
                    S[tx] = A[bx, tx]
                T.tvm_storage_sync("shared")
                T.evaluate(T.tvm_load_matrix_sync(W, 16, 16, 16, 0, A.access_ptr("r"), 16, "row_major"))
                T.ptx_mma("float32", "m8n8k4", "row", "col", "fp16", "fp16", "fp32", W, 0, W, 0, S.data, 0, False)
                B[bx, tx] = S[15 - tx] + T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), A[bx, tx], 3, 32, 32)

    @T.prim_func
    def attributes(A: T.Buffer((4,), "float32")):
        tx = T.int32()
        with T.attr(T.iter_var(tx, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 4):
            with T.attr(A, "my_attribute", "text"):
                A[tx] = T.call_pure_extern("float32", "sqrtf", A[tx])
                T.evaluate(T.call_extern("int32", "touch", A.data, T.address_of(A[tx]), "text", 1.5))
                T.call_packed("notify", A.data, tx)
        for i in T.thread_binding(0, 4, "threadIdx.x"):
            A[i] = 0.0

    @T.prim_func
    def turned(A: T.Buffer((2, 4), "float32"), B: T.Buffer((2, 4), "float32")):
        bx = T.env_thread("blockIdx.x")
        with T.launch_thread(bx, 2):
            S = T.allocate([4], "float32", "shared")
            tx = T.int32()
            with T.attr(T.iter_var(tx, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 4):
                S[tx] = A[bx, tx]
                T.sync()
                B[bx, tx] = S[3 - tx]

    @T.prim_func
    def launched_again(A: T.Buffer((4,), "float32")):
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            tx = T.env_thread("threadIdx.x")
            T.launch_thread(tx, 2)
            A[ty * 2 + tx] = A[ty * 2 + tx] * 2.0

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def attributes(A: T.Buffer((4,), "float32")):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            with T.attr(A.data, "my_attribute", "text"):
                A[tx] = T.call_pure_extern("float32", "sqrtf", A[tx])
                T.call_extern("int32", "touch", T.address_of(A[0]), T.address_of(A[tx]), "text", T.float32(1.5))
                T.call_packed("notify", T.address_of(A[0]), tx)
        for i in T.thread_binding(4, thread="threadIdx.x"):
            A[i] = T.float32(0.0)

    @T.prim_func
    def launched(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
        for bx in T.thread_binding(8, thread="blockIdx.x"):
            S = T.decl_buffer((16,), scope="shared.dyn")
            W = T.decl_buffer((256,), "float16", scope="wmma.matrix_a")
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                for vx in T.thread_binding(2, thread="vthread.x"):
                    S[tx] = A[bx, tx]
                T.tvm_storage_sync("shared")
                T.tvm_load_matrix_sync(T.address_of(W[0]), 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), T.address_of(A[0, 0]), 0, 128, 1), 16, "row_major")
                T.ptx_mma("float32", "m8n8k4", "row", "col", "fp16", "fp16", "fp32", T.address_of(W[0]), 0, T.address_of(W[0]), 0, T.address_of(S[0]), 0, T.bool(False))
                B[bx, tx] = S[15 - tx] + T.tvm_warp_shuffle(T.uint32(4294967295), A[bx, tx], 3, 32, 32)

    @T.prim_func
    def launched_again(A: T.Buffer((4,), "float32")):
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            for tx in T.thread_binding(2, thread="threadIdx.x"):
                A[ty * 2 + tx] = A[ty * 2 + tx] * T.float32(2.0)

    @T.prim_func
    def turned(A: T.Buffer((2, 4), "float32"), B: T.Buffer((2, 4), "float32")):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            S = T.decl_buffer((4,), scope="shared")
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                S[tx] = A[bx, tx]
                T.tvm_storage_sync("shared")
                B[bx, tx] = S[3 - tx]
