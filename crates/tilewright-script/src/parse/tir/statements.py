# Every statement, in its spellings of both dialects.
# test: print
# run: f(f32[16], f32[16], i32[16], i32=5) == same
# run: memory == same
# run: pointers == same
# run: views n=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "int32"), n: T.int32(is_size_var=True)):
        T.func_attr({"tir.noalias": True, "target": T.target({"kind": "llvm", "mcpu": "haswell"})})
        for i in range(1, 16, 3):
            B[i] = A[i]
        for i in range(14, -1, -5):
            B[i] = A[i] + 1.0
        for i in range(n, n - 3, -2):
            C[i] = i
        for i in T.serial(0, 16, annotations={"pragma": 1}):
            B[i] += A[i] * T.float32(2)
        for i in T.parallel(2, 6):
            C[i] = i
        for i, j in T.grid(4, 4):
            C[i * 4 + j] = C[i * 4 + j] - j
        for i in T.vectorized(8):
            B[i] = T.max(B[i], 0.0)
        for i in T.unroll(3, annotations={"x": "y"}):
            C[i] = 1 if n > i else 2
        with T.LetStmt(n + 1) as m:
            C[1] = m
        m2: T.int32(is_size_var=True) = n * 2
        with T.LetStmt(m2 + 1) as m3:
            C[2] = m3
        T.Assert(n >= 0, "no negative size")
        with T.Assert(n < 100, "small"):
            C[3] = n
        assert 0 <= n < 100 and not n == 77, "in range"
        if n > 3:
            C[4] = 4
        elif n == 2:
            C[4] = 2
        else:
            C[4] = 0
        if True:
            C[5] = 5
        with T.attr(A.data, "pragma_unroll", 4):
            with T.attr("text", "pragma_note", "why"):
                C[6] = 6
        T.attr(None, "pragma_rest", n)
        C[7] = 7
        T.evaluate(0)
        T.buffer_store(C, T.buffer_load(C, [7]) + 1, [8])
        x = T.alloc_buffer((1,), "int32")
        x[0] = 1
        while x[0] < 12:
            x[0] = x[0] * 2
        C[9] = x[0]
        pass

    @T.prim_func
    def memory(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": True})
        with T.allocate([4, 4], "float32", "global") as S:
            S_1 = T.Buffer((16,), "float32", data=S.data)
            for i in range(16):
                S_1[i] = A[i]
            for i, j in T.grid(4, 4):
                B[i * 4 + j] = S[j, i]
        L = T.allocate([2], "float32x4", scope="local")
        L[0:4] = A[0:4]
        L[4:8] = A[4:8]
        B[0:8] = L[0:8] * T.Broadcast(T.float32(3), 8)
        table = T.allocate_const([[1, -2], [3, 4]], "int16", [2, 2])
        weights = T.allocate_const([0.5, float("inf"), float("nan"), -1e-30], "float32", (4,))
        flags = T.allocate_const([True, False], "bool", [2])
        for i in range(4):
            B[8 + i] = T.Cast("float32", table[i // 2, i % 2]) * weights[i]
        with T.allocate_const([255, 0], "uint8", [2]) as bytes_:
            B[12] = T.Cast("float32", bytes_[0]) + T.Select(flags[0], 1.0, 2.0)
        with T.decl_buffer((4,), "float32", scope="local") as D:
            D[0] = 1.5
            B[13] = D[0]

    @T.prim_func
    def pointers(A: T.Buffer((4, 8), "float32"), B: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": True})
        row: T.handle("float32", "global") = T.address_of(A[2, 4])
        R = T.Buffer((4,), "float32", data=row)
        words = T.Buffer((8,), "int32", data=row, elem_offset=-4)
        R[1] = 7.5
        with T.LetStmt(A.access_ptr("rw", offset=8)) as second:
            S = T.Buffer((8,), "float32", data=second)
            S[0] = R[1] + S[7]
        for i in range(8):
            B[i] = words[i]

    @T.prim_func
    def views(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64(is_size_var=True)
        s0 = T.int64()
        A = T.match_buffer(a, (n, 4), "float32", align=64, offset_factor=1)
        B = T.match_buffer(b, [n, 4], "float32", strides=[s0, 1], elem_offset=0, scope="global", buffer_type="default")
        flat = T.decl_buffer((n * 4,), "float32", data=A.data)
        for i in range(n):
            for j in range(4):
                B[i, j] = flat[i * T.int64(4) + T.Cast("int64", j)]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "int32"), n: T.int32(is_size_var=True)):
        T.func_attr({"target": "llvm -mcpu=haswell", "tir.noalias": T.bool(True)})
        # with T.block("root"):
        x = T.alloc_buffer((1,), "int32")
        for i in range(5):
            B[1 + i * 3] = A[1 + i * 3]
        for i in range(3):
            B[14 + i * -5] = A[14 + i * -5] + T.float32(1.0)
        for i in range(2):
            C[n + i * -2] = n + i * -2
        for i in T.serial(16, annotations={"pragma": 1}):
            B[i] = B[i] + A[i] * T.float32(2.0)
        for i in T.parallel(2, 6):
            C[i] = i
        for i, j in T.grid(4, 4):
            C[i * 4 + j] = C[i * 4 + j] - j
        for i in T.vectorized(8):
            B[i] = T.max(B[i], T.float32(0.0))
        for i in T.unroll(3, annotations={"x": "y"}):
            C[i] = T.if_then_else(n > i, 1, 2)
        with T.LetStmt(n + 1) as m:
            C[1] = m
        m2: T.int32(is_size_var=True) = n * 2
        with T.LetStmt(m2 + 1) as m3:
            C[2] = m3
        assert n >= 0, "no negative size"
        assert n < 100, "small"
        C[3] = n
        assert 0 <= n and n < 100 and not n == 77, "in range"
        if n > 3:
            C[4] = 4
        else:
            if n == 2:
                C[4] = 2
            else:
                C[4] = 0
        C[5] = 5
        with T.attr(A.data, "pragma_unroll", 4):
            with T.attr("text", "pragma_note", "why"):
                C[6] = 6
        with T.attr(0, "pragma_rest", n):
            C[7] = 7
            T.evaluate(0)
            C[8] = C[7] + 1
            x[0] = 1
            while x[0] < 12:
                x[0] = x[0] * 2
            C[9] = x[0]

    @T.prim_func
    def memory(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.decl_buffer((4, 4)) as S:
            S_1 = T.decl_buffer((16,), data=S.data)
            for i in range(16):
                S_1[i] = A[i]
            for i, j in T.grid(4, 4):
                B[i * 4 + j] = S[j, i]
        L = T.decl_buffer((8,), scope="local")
        L[T.Ramp(0, 1, 4)] = A[T.Ramp(0, 1, 4)]
        L[T.Ramp(4, 1, 4)] = A[T.Ramp(4, 1, 4)]
        B[T.Ramp(0, 1, 8)] = L[T.Ramp(0, 1, 8)] * T.Broadcast(T.float32(3.0), 8)
        table = T.allocate_const([1, -2, 3, 4], "int16", [2, 2])
        weights = T.allocate_const([0.5, float("inf"), float("nan"), -1.0000000031710769e-30], "float32", [4])
        flags = T.allocate_const([True, False], "bool", [2])
        for i in range(4):
            B[8 + i] = T.Cast("float32", table[i // 2, i % 2]) * weights[i]
        with T.allocate_const([255, 0], "uint8", [2]) as bytes_:
            B[12] = T.Cast("float32", bytes_[0]) + T.Select(flags[0], T.float32(1.0), T.float32(2.0))
        D = T.decl_buffer((4,), scope="local")
        D[0] = T.float32(1.5)
        B[13] = D[0]

    @T.prim_func
    def pointers(A: T.Buffer((4, 8), "float32"), B: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        row: T.handle = T.address_of(A[2, 4])
        R_ = T.decl_buffer((4,), data=row)
        words = T.decl_buffer((8,), "int32", elem_offset=-4, data=row)
        R_[1] = T.float32(7.5)
        with T.LetStmt(T.tvm_access_ptr(T.type_annotation("float32"), T.address_of(A[0, 0]), 8, 24, 3)) as second:
            S = T.decl_buffer((8,), data=second)
            S[0] = R_[1] + S[7]
        for i in range(8):
            B[i] = words[i]

    @T.prim_func
    def views(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64(is_size_var=True)
        A = T.match_buffer(a, (n, 4), align=64, offset_factor=1)
        s0 = T.int64()
        B = T.match_buffer(b, (n, 4), strides=[s0, 1], elem_offset=0)
        flat = T.decl_buffer((n * T.int64(4),), data=A.data)
        for i, j in T.grid(n, 4):
            B[i, j] = flat[i * T.int64(4) + T.Cast("int64", j)]
