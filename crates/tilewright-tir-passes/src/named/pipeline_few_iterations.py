# A pipeline of three stages over any number of iterations, also over fewer than stages.
# test: opt --pass tir.InjectSoftwarePipeline
# run: f n=0 == same
# run: f n=1 == same
# run: f n=2 == same
# run: f n=7 == same
# run: one == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), n: T.int32):
        for i in T.serial(0, n, annotations={"software_pipeline_stage": [0, 1, 2], "software_pipeline_order": [0, 1, 2]}):
            with T.block("body"):
                T.reads(A[i], C[i])
                T.writes(C[i], A[i])
                B = T.alloc_buffer((8,))
                D = T.alloc_buffer((8,))
                with T.block("load"):
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i] + T.float32(1)
                with T.block("add"):
                    T.reads(B[i], C[i])
                    T.writes(D[i], C[i])
                    C[i] = C[i] + B[i]
                    D[i] = B[i]
                with T.block("store"):
                    T.reads(D[i])
                    T.writes(A[i])
                    A[i] = D[i] * T.float32(2)

    @T.prim_func
    def one(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in T.serial(0, 1, annotations={"software_pipeline_stage": [0, 1, 2], "software_pipeline_order": [0, 1, 2]}):
            with T.block("body"):
                T.reads(A[i], C[i])
                T.writes(C[i], A[i])
                B = T.alloc_buffer((8,))
                with T.block("load"):
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i] + T.float32(1)
                with T.block("add"):
                    T.reads(B[i], C[i])
                    T.writes(C[i])
                    C[i] = C[i] + B[i]
                with T.block("again"):
                    T.reads(C[i])
                    T.writes(C[i])
                    C[i] = C[i] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), n: T.int32):
        # with T.block("root"):
        with T.block(""):
            T.reads(A[0:8], C[0:8])
            T.writes(C[0:8], A[0:8])
            B = T.alloc_buffer((2, 8))
            D = T.alloc_buffer((2, 8))
            with T.block(""):
                T.reads(A[0:2], B[0:2, 0], C[0])
                T.writes(B[0:2, 0:2], D[0:2, 0], C[0])
                for i in T.unroll(2):
                    with T.block("load"):
                        T.where(i < n)
                        T.reads(A[i])
                        T.writes(B[i % 2, i])
                        B[i % 2, i] = A[i] + T.float32(1.0)
                    with T.block("add"):
                        T.where(0 <= i - 1 and i <= n)
                        T.reads(B[(i - 1) % 2, i - 1], C[i - 1])
                        T.writes(D[(i - 1) % 2, i - 1], C[i - 1])
                        C[i - 1] = C[i - 1] + B[(i - 1) % 2, i - 1]
                        D[(i - 1) % 2, i - 1] = B[(i - 1) % 2, i - 1]
            with T.block(""):
                T.reads(A[2:2 + (n - 2)], B[0:2, 1:1 + (n - 2)], C[1:1 + (n - 2)], D[0:2, 0:n - 2])
                T.writes(B[0:2, 2:2 + (n - 2)], D[0:2, 1:1 + (n - 2)], C[1:1 + (n - 2)], A[0:n - 2])
                for i in range(n - 2):
                    with T.block("load"):
                        T.reads(A[i + 2])
                        T.writes(B[(i + 2) % 2, i + 2])
                        B[(i + 2) % 2, i + 2] = A[i + 2] + T.float32(1.0)
                    with T.block("add"):
                        T.reads(B[(i + 1) % 2, i + 1], C[i + 1])
                        T.writes(D[(i + 1) % 2, i + 1], C[i + 1])
                        C[i + 1] = C[i + 1] + B[(i + 1) % 2, i + 1]
                        D[(i + 1) % 2, i + 1] = B[(i + 1) % 2, i + 1]
                    with T.block("store"):
                        T.reads(D[i % 2, i])
                        T.writes(A[i])
                        A[i] = D[i % 2, i] * T.float32(2.0)
            with T.block(""):
                T.reads(B[0:2, n - 1:n - 1 + 2], C[n - 1:n - 1 + 2], D[0:2, n - 2:n - 2 + 2])
                T.writes(D[0:2, n - 1:n - 1 + 2], C[n - 1:n - 1 + 2], A[n - 2:n - 2 + 2])
                for i in T.unroll(2):
                    with T.block("add"):
                        T.where(0 <= i + n - 1 and i < 1 and 2 <= i + n)
                        T.reads(B[(i + n - 1) % 2, i + n - 1], C[i + n - 1])
                        T.writes(D[(i + n - 1) % 2, i + n - 1], C[i + n - 1])
                        C[i + n - 1] = C[i + n - 1] + B[(i + n - 1) % 2, i + n - 1]
                        D[(i + n - 1) % 2, i + n - 1] = B[(i + n - 1) % 2, i + n - 1]
                    with T.block("store"):
                        T.where(0 <= i + n - 2 and 2 <= i + n)
                        T.reads(D[(i + n - 2) % 2, i + n - 2])
                        T.writes(A[i + n - 2])
                        A[i + n - 2] = D[(i + n - 2) % 2, i + n - 2] * T.float32(2.0)

    @T.prim_func
    def one(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        # with T.block("root"):
        with T.block(""):
            T.reads(A[0:2], C[0])
            T.writes(C[0])
            B = T.alloc_buffer((2, 8))
            with T.block(""):
                T.reads(A[0:2], B[0:2, 0], C[0])
                T.writes(B[0:2, 0:2], C[0])
                for i in T.unroll(2):
                    with T.block("load"):
                        T.where(i < 1)
                        T.reads(A[i])
                        T.writes(B[i % 2, i])
                        B[i % 2, i] = A[i] + T.float32(1.0)
                    with T.block("add"):
                        T.where(0 <= i - 1)
                        T.reads(B[(i - 1) % 2, i - 1], C[i - 1])
                        T.writes(C[i - 1])
                        C[i - 1] = C[i - 1] + B[(i - 1) % 2, i - 1]
            with T.block("again"):
                T.reads(C[0])
                T.writes(C[0])
                C[0] = C[0] * T.float32(2.0)
