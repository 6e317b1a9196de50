# Attributes, constant memory, names for addresses and operations of targets become what a CPU has.
# test: opt --pass lower_builtins
# run: f i32=5 == same
# run: strided == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((8,), "int16"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        table = T.allocate_const([[1, -2], [3, 4]], "int16", [2, 2])
        with T.attr(A.data, "pragma_auto_unroll", 16):
            with T.attr(A.data, "storage_alignment", 64):
                T.tvm_storage_sync("shared")
                T.evaluate(T.assume(n > 0))
                B[T.tvm_thread_invariant(n)] = table[1, 0]
        row: T.handle = T.address_of(A[1, 2])
        R = T.Buffer((4,), "float32", data=row)
        H = T.Buffer((8,), "int32", data=row, elem_offset=2)
        R[1] = 2.0
        second: T.handle = T.tvm_access_ptr(T.type_annotation("float32"), row, 3, 4, 3)
        S = T.Buffer((4,), "float32", data=second)
        S[0] = R[1] + 1.0
        B[1] = T.Cast("int16", H[1])
        B[2] = T.undef()
        B[2] = T.Select(T.isnullptr(A.data), T.int16(1), T.int16(2))

    @T.prim_func
    def strided(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        W = T.decl_buffer((4, 4), "float32", strides=[8, 1])
        for i, j in T.grid(4, 4):
            W[i, j] = A[i, j]
        p: T.handle = T.address_of(W[2, 1])
        P = T.Buffer((2, 2), "float32", data=p, strides=[8, 1])
        for i, j in T.grid(2, 2):
            B[i * 2 + j] = P[i, j]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((8,), "int16"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        table = T.decl_buffer((2, 2), "int16")
        table[0, 0] = T.int16(1)
        table[0, 1] = T.int16(-2)
        table[1, 0] = T.int16(3)
        table[1, 1] = T.int16(4)
        B[n] = table[1, 0]
        R_ = T.decl_buffer((4,), elem_offset=T.int64(10), data=A.data)
        H = T.decl_buffer((8,), "int32", elem_offset=T.int64(12), data=A.data)
        R_[1] = T.float32(2.0)
        S = T.decl_buffer((4,), elem_offset=T.int64(13), data=A.data)
        S[0] = R_[1] + T.float32(1.0)
        B[1] = T.Cast("int16", H[1])
        B[2] = T.Select(T.bool(False), T.int16(1), T.int16(2))

    @T.prim_func
    def strided(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        W = T.decl_buffer((4, 4), strides=[8, 1])
        for i, j in T.grid(4, 4):
            W[i, j] = A[i, j]
        P = T.decl_buffer((2, 2), strides=[8, 1], elem_offset=T.int64(17), data=W.data)
        for i, j in T.grid(2, 2):
            B[i * 2 + j] = P[i, j]
