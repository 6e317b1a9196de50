# Attributes around statements that plain code means nothing different without.
# test: print
# run: hints(f32[21], i32=2) == same
# run: nested(f32[4], i32=2) == same

@I.ir_module
class Module:
    @T.prim_func
    def hints(A: T.Buffer((21,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        with T.attr(n, "storage_alignment", 0):
            A[0] = A[0] + 0.0
        with T.attr(A.data, "storage_scope", 1):
            A[1] = A[1] + 1.0
        with T.attr(A.data, "double_buffer_scope", 2):
            A[2] = A[2] + 2.0
        with T.attr(n, "double_buffer_write", 3):
            A[3] = A[3] + 3.0
        with T.attr(A.data, "buffer_dim_align", 4):
            A[4] = A[4] + 4.0
        with T.attr(A.data, "volatile_scope", 5):
            A[5] = A[5] + 5.0
        with T.attr(n, "scan_init_scope", 6):
            A[6] = A[6] + 6.0
        with T.attr(A.data, "scan_update_scope", 7):
            A[7] = A[7] + 7.0
        with T.attr(A.data, "loop_scope", 8):
            A[8] = A[8] + 8.0
        with T.attr(n, "realize_scope", 9):
            A[9] = A[9] + 9.0
        with T.attr(A.data, "compute_scope", 10):
            A[10] = A[10] + 10.0
        with T.attr(A.data, "hand_threaded", 11):
            A[11] = A[11] + 11.0
        with T.attr(n, "async_scope", 12):
            A[12] = A[12] + 12.0
        with T.attr(A.data, "async_commit_queue_scope", 13):
            A[13] = A[13] + 13.0
        with T.attr(A.data, "async_wait_queue_scope", 14):
            A[14] = A[14] + 14.0
        with T.attr(n, "async_wait_inflight_count", 15):
            A[15] = A[15] + 15.0
        with T.attr(A.data, "device_id", 16):
            A[16] = A[16] + 16.0
        with T.attr(A.data, "device_type", 17):
            A[17] = A[17] + 17.0
        with T.attr(n, "device_context_id", 18):
            A[18] = A[18] + 18.0
        with T.attr(A.data, "target", 19):
            A[19] = A[19] + 19.0
        with T.attr(A.data, "warp_execution", 20):
            A[20] = A[20] + 20.0

    @T.prim_func
    def nested(A: T.Buffer((4,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        with T.attr(A, "pragma_first", "text"):
            T.attr(None, "pragma_rest", n + 1)
            for i in T.serial(4, annotations={"pragma_loop": 1}):
                A[i] = A[i] * 2.0

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def hints(A: T.Buffer((21,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(n, "storage_alignment", 0):
            A[0] = A[0] + T.float32(0.0)
        with T.attr(A.data, "storage_scope", 1):
            A[1] = A[1] + T.float32(1.0)
        with T.attr(A.data, "double_buffer_scope", 2):
            A[2] = A[2] + T.float32(2.0)
        with T.attr(n, "double_buffer_write", 3):
            A[3] = A[3] + T.float32(3.0)
        with T.attr(A.data, "buffer_dim_align", 4):
            A[4] = A[4] + T.float32(4.0)
        with T.attr(A.data, "volatile_scope", 5):
            A[5] = A[5] + T.float32(5.0)
        with T.attr(n, "scan_init_scope", 6):
            A[6] = A[6] + T.float32(6.0)
        with T.attr(A.data, "scan_update_scope", 7):
            A[7] = A[7] + T.float32(7.0)
        with T.attr(A.data, "loop_scope", 8):
            A[8] = A[8] + T.float32(8.0)
        with T.attr(n, "realize_scope", 9):
            A[9] = A[9] + T.float32(9.0)
        with T.attr(A.data, "compute_scope", 10):
            A[10] = A[10] + T.float32(10.0)
        with T.attr(A.data, "hand_threaded", 11):
            A[11] = A[11] + T.float32(11.0)
        with T.attr(n, "async_scope", 12):
            A[12] = A[12] + T.float32(12.0)
        with T.attr(A.data, "async_commit_queue_scope", 13):
            A[13] = A[13] + T.float32(13.0)
        with T.attr(A.data, "async_wait_queue_scope", 14):
            A[14] = A[14] + T.float32(14.0)
        with T.attr(n, "async_wait_inflight_count", 15):
            A[15] = A[15] + T.float32(15.0)
        with T.attr(A.data, "device_id", 16):
            A[16] = A[16] + T.float32(16.0)
        with T.attr(A.data, "device_type", 17):
            A[17] = A[17] + T.float32(17.0)
        with T.attr(n, "device_context_id", 18):
            A[18] = A[18] + T.float32(18.0)
        with T.attr(A.data, "target", 19):
            A[19] = A[19] + T.float32(19.0)
        with T.attr(A.data, "warp_execution", 20):
            A[20] = A[20] + T.float32(20.0)

    @T.prim_func
    def nested(A: T.Buffer((4,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(A.data, "pragma_first", "text"):
            with T.attr(0, "pragma_rest", n + 1):
                for i in T.serial(4, annotations={"pragma_loop": 1}):
                    A[i] = A[i] * T.float32(2.0)
