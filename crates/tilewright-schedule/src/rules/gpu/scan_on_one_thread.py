# Iterations that depend on each other run on one thread, those of a parallel loop around them on many.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: alone == same
# run: rows n=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def alone(A: T.Buffer((9,), "int32"), B: T.Buffer((9,), "int32")):
        for i in range(9):
            with T.block("B"):
                vi = T.axis.scan(9, i)
                B[vi] = A[vi] + T.if_then_else(vi > 0, B[vi - 1], 0)

    @T.prim_func
    def rows(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 9), "int32")
        B = T.match_buffer(var_B, (n, 9), "int32")
        with T.block("rows"):
            for i in T.parallel(n):
                for j in range(9):
                    B[i, j] = A[i, j] + T.if_then_else(j > 0, B[i, j - 1], 0)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def alone(A: T.Buffer((9,), "int32"), B: T.Buffer((9,), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                for i in range(9):
                    with T.block("B"):
                        vi = T.axis.scan(9, i)
                        T.reads(A[vi], B[vi - 1])
                        T.writes(B[vi])
                        B[vi] = A[vi] + T.if_then_else(vi > 0, B[vi - 1], 0)

    @T.prim_func
    def rows(var_A: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n, 9), "int32")
        B = T.match_buffer(var_B, (n, 9), "int32")
        with T.block("root"):
            T.reads()
            T.writes()
            for bx in T.thread_binding((n + T.int64(255)) // T.int64(256), thread="blockIdx.x"):
                for tx in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                    if bx * T.int64(256) + tx < n:
                        for j in range(9):
                            B[T.int64(0) + (bx * T.int64(256) + tx), j] = A[T.int64(0) + (bx * T.int64(256) + tx), j] + T.if_then_else(j > 0, B[T.int64(0) + (bx * T.int64(256) + tx), j - 1], 0)
