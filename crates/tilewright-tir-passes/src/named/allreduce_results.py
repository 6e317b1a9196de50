# Results that are parameters, elements of a larger buffer, or of two reductions are stored after the reduction.
# test: opt --pass tir.LowerThreadAllreduce
# run: parameter reference=sums == same
# run: twice reference=two_sums == same
# run: single reference=copies == same

@I.ir_module
class Module:
    @T.prim_func
    def parameter(A: T.Buffer((2, 16), "int32"), B: T.Buffer((2,), "int32")):
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                    T.tvm_thread_allreduce(T.uint32(1), A[b, tx], T.bool(True), B[b], tx)

    @T.prim_func
    def sums(A: T.Buffer((2, 16), "int32"), B: T.Buffer((2,), "int32")):
        for b in range(2):
            B[b] = 0
            for i in range(16):
                B[b] = B[b] + A[b, i]

    @T.prim_func
    def twice(A: T.Buffer((2, 16), "int32"), B: T.Buffer((16,), "int32")):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            r = T.decl_buffer((1,), "int32", scope="local")
            s = T.decl_buffer((1,), "int32", scope="local")
            with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[0, tx], T.bool(True), r[0], tx)
            s[0] = r[0]
            with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[1, tx], T.bool(True), r[0], tx)
            B[tx] = s[0] * 100 + r[0]

    @T.prim_func
    def two_sums(A: T.Buffer((2, 16), "int32"), B: T.Buffer((16,), "int32")):
        for tx in range(16):
            B[tx] = 0
            for i in range(16):
                B[tx] = B[tx] + A[0, i] * 100 + A[1, i]

    @T.prim_func
    def single(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(1, thread="threadIdx.x"):
                with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                    T.tvm_thread_allreduce(T.uint32(1), A[b], T.bool(True), B[b], tx)

    @T.prim_func
    def copies(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for b in range(4):
            B[b] = A[b]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def copies(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for b in range(4):
            B[b] = A[b]

    @T.prim_func
    def parameter(A: T.Buffer((2, 16), "int32"), B: T.Buffer((2,), "int32")):
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                    red_buf0 = T.decl_buffer((16,), "int32", scope="shared")
                    with T.attr(red_buf0.data, "volatile_scope", 1):
                        T.tvm_storage_sync("shared")
                        red_buf0[tx] = A[b, tx]
                        T.tvm_storage_sync("shared")
                        if tx < 8:
                            red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 8]
                        T.tvm_storage_sync("shared")
                        if tx < 4:
                            red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 4]
                        T.tvm_storage_sync("shared")
                        if tx < 2:
                            red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 2]
                        T.tvm_storage_sync("shared")
                        if tx < 1:
                            red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 1]
                        T.tvm_storage_sync("shared")
                        B[b] = red_buf0[0]

    @T.prim_func
    def single(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(1, thread="threadIdx.x"):
                with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                    B[b] = A[b]

    @T.prim_func
    def sums(A: T.Buffer((2, 16), "int32"), B: T.Buffer((2,), "int32")):
        for b in range(2):
            B[b] = 0
            for i in range(16):
                B[b] = B[b] + A[b, i]

    @T.prim_func
    def twice(A: T.Buffer((2, 16), "int32"), B: T.Buffer((16,), "int32")):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            r = T.decl_buffer((1,), "int32", scope="local")
            s = T.decl_buffer((1,), "int32", scope="local")
            with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                red_buf0 = T.decl_buffer((16,), "int32", scope="shared")
                with T.attr(red_buf0.data, "volatile_scope", 1):
                    T.tvm_storage_sync("shared")
                    red_buf0[tx] = A[0, tx]
                    T.tvm_storage_sync("shared")
                    if tx < 8:
                        red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 8]
                    T.tvm_storage_sync("shared")
                    if tx < 4:
                        red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 4]
                    T.tvm_storage_sync("shared")
                    if tx < 2:
                        red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 2]
                    T.tvm_storage_sync("shared")
                    if tx < 1:
                        red_buf0[tx] = red_buf0[tx] + red_buf0[tx + 1]
                    T.tvm_storage_sync("shared")
                    r[0] = red_buf0[0]
            s[0] = r[0]
            with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                red_buf0_1 = T.decl_buffer((16,), "int32", scope="shared")
                with T.attr(red_buf0_1.data, "volatile_scope", 1):
                    T.tvm_storage_sync("shared")
                    red_buf0_1[tx] = A[1, tx]
                    T.tvm_storage_sync("shared")
                    if tx < 8:
                        red_buf0_1[tx] = red_buf0_1[tx] + red_buf0_1[tx + 8]
                    T.tvm_storage_sync("shared")
                    if tx < 4:
                        red_buf0_1[tx] = red_buf0_1[tx] + red_buf0_1[tx + 4]
                    T.tvm_storage_sync("shared")
                    if tx < 2:
                        red_buf0_1[tx] = red_buf0_1[tx] + red_buf0_1[tx + 2]
                    T.tvm_storage_sync("shared")
                    if tx < 1:
                        red_buf0_1[tx] = red_buf0_1[tx] + red_buf0_1[tx + 1]
                    T.tvm_storage_sync("shared")
                    r[0] = red_buf0_1[0]
            B[tx] = s[0] * 100 + r[0]

    @T.prim_func
    def two_sums(A: T.Buffer((2, 16), "int32"), B: T.Buffer((16,), "int32")):
        for tx in range(16):
            B[tx] = 0
            for i in range(16):
                B[tx] = B[tx] + A[0, i] * 100 + A[1, i]
