# Forms of Python in loops: values, conditions, and abbreviations of several statements.
# test: print
# run: values(f32[4, 3], f32[8], i32=3) == same
# run: shared(f32[2]=[1.5, -2]) == same
# run: element == same
# run: views(f32[4, 1], f32[4, 4]) == same
# run: regions == same

@I.ir_module
class Module:
    @T.prim_func
    def values(A: T.Buffer((4, 3), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        x, y = A[0, 0] + 1.0, A[0, 1]
        z = x * y
        for i in range(A.shape[0]):
            B[i] = z.astype(A.dtype) + A[i, 2]
        B[4] = float("inf") if 0 < n <= 5 < n + 4 else -x
        B[5] = T.Cast(x.dtype, 0xFF + n * 1_000 + 0b11 + ~n)
        B[6] = T.Cast("float32", not (n == 3) or n != 4 and n >= 2)
        local = T.alloc_buffer((1,), B.dtype, scope="local")
        local[0] = B[6]
        other = T.alloc_buffer((1,), "float32", scope=local.scope())
        far = T.alloc_buffer((1,), "float32", scope="shared")
        far[0] = A[1, 1]
        B[3] = far[0]
        other[0] = local[0] * 2.0
        m: T.int32 = n * 2
        if m > 5:
            pass
        else:
            other[0] = 1.5
        if m > 4:
            other[0] = other[0] + T.Cast("float32", m)
        B[7] = other[0]
        return None

    @T.prim_func
    def shared(A: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": True})
        a = T.meta_var((s := A[0] + A[1]) * s)
        b = T.meta_var(a * a + a)
        c = T.meta_var(b * b + b)
        d = T.meta_var(c * c + c)
        e = T.meta_var(d * d + d)
        f = T.meta_var(e * 0.5 - e)
        A[0] = (g := f * f) * g + g

    @T.prim_func
    def element(A: T.Buffer((), "float32"), B: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": True})
        B[()] = A[()] + 1.0

    @T.prim_func
    def views(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        k = T.int32()
        A = T.match_buffer(a, (4, 1), "float32", strides=[k, 1], elem_offset=0, buffer_type="auto")
        B = T.match_buffer(b, (4, 4), "float32", axis_separators=[1])
        for i, j in T.grid(4, 4):
            B[i, j] = A[i, 0] + T.Cast("float32", A.elem_offset + A.strides[1])

    @T.prim_func
    def regions(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("row"):
                vi = T.axis.S(4, i)
                T.reads([A[vi, :], B[vi, 2:]])
                T.writes(B)
                for j in range(2):
                    B[vi, j] = A[vi, j] + B[vi, j + 2]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def element(A: T.Buffer((), "float32"), B: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[()] = A[()] + T.float32(1.0)

    @T.prim_func
    def regions(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("row"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi, 0:4], B[vi, 2:4])
                T.writes(B[0:4, 0:4])
                for j in range(2):
                    B[vi, j] = A[vi, j] + B[vi, j + 2]

    @T.prim_func
    def shared(A: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        A[0] = (s := (s_1 := (s_2 := (s_3 := (s_4 := (s_5 := (s_6 := (A[0] + A[1]) * (A[0] + A[1])) * s_6 + s_6) * s_5 + s_5) * s_4 + s_4) * s_3 + s_3) * T.float32(0.5) - s_2) * s_1) * s + s

    @T.prim_func
    def values(A: T.Buffer((4, 3), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        local = T.alloc_buffer((1,), scope="local")
        other = T.alloc_buffer((1,), scope="local")
        far = T.alloc_buffer((1,), scope="shared")
        x: T.float32 = A[0, 0] + T.float32(1.0)
        y: T.float32 = A[0, 1]
        z: T.float32 = x * y
        for i in range(4):
            B[i] = z + A[i, 2]
        B[4] = T.if_then_else(0 < n and n <= 5 and 5 < n + 4, T.float32("inf"), x * T.float32(-1.0))
        B[5] = T.Cast("float32", 255 + n * 1000 + 3 + (n ^ -1))
        B[6] = T.Cast("float32", not n == 3 or n != 4 and n >= 2)
        local[0] = B[6]
        far[0] = A[1, 1]
        B[3] = far[0]
        other[0] = local[0] * T.float32(2.0)
        m: T.int32 = n * 2
        if m > 5:
            pass
        else:
            other[0] = T.float32(1.5)
        if m > 4:
            other[0] = other[0] + T.Cast("float32", m)
        B[7] = other[0]

    @T.prim_func
    def views(a: T.handle, B: T.Buffer((4, 4), "float32", axis_separators=[1])):
        T.func_attr({"tir.noalias": T.bool(True)})
        k = T.int32()
        A = T.match_buffer(a, (4, 1), strides=[k, 1], elem_offset=0, buffer_type="auto")
        for i, j in T.grid(4, 4):
            B[i, j] = A[i, 0] + T.Cast("float32", T.Add(0, 1))
