# Functions without a node of their own, constants of every type, operators of Python.
# test: print
# run: constants == same
# run: integers i32=7 i32=-3 == same
# run: vectors == same
# run: fixed(i32[4]=[7, -7, 2147483647, -2147483648], i32[4]=[1073741824, 1073741824, 2147483647, 2147483647], i32[4]) == i32[4]=[2, -2, 1073741823, -1073741816]

@I.ir_module
class Module:
    @T.prim_func
    def constants(F: T.Buffer((20,), "float64"), I: T.Buffer((20,), "int64"), H: T.Buffer((4,), "float16"), G: T.Buffer((4,), "bfloat16"), U: T.Buffer((4,), "uint64")):
        T.func_attr({"tir.noalias": True})
        F[0] = T.max_value("float64")
        F[1] = T.Cast("float64", T.min_value("float32"))
        F[2] = T.infinity("float64")
        F[3] = T.Cast("float64", T.max_value("float16"))
        F[4] = T.Cast("float64", T.max_value("bfloat16"))
        F[5] = T.float64("nan")
        F[6] = T.float64(-0.0)
        F[7] = T.Cast("float64", T.float32("-inf"))
        F[8] = 1e300
        I[0] = T.min_value("int64")
        I[1] = T.Cast("int64", T.min_value("int8"))
        I[2] = T.Cast("int64", T.max_value("int16"))
        I[3] = T.Cast("int64", T.max_value("uint8"))
        I[4] = T.Cast("int64", T.max_value("uint32"))
        I[5] = T.int64(-9223372036854775808)
        I[6] = T.Cast("int64", T.bool(True))
        I[7] = T.Cast("int64", T.int8(-5)) + T.int64(T.uint16(65535))
        I[8] = T.reinterpret("int64", T.float64(1.5))
        I[9] = T.int64(F[8].astype("float32") > 1.0)
        H[0] = T.float16(0.1)
        H[1] = T.max_value("float16")
        G[0] = T.bfloat16(0.1)
        U[0] = T.uint64(18446744073709551615)
        U[1] = T.max_value("uint64")

    @T.prim_func
    def integers(A: T.Buffer((40,), "int32"), a: T.int32, b: T.int32):
        T.func_attr({"tir.noalias": True})
        A[0] = T.ceildiv(a, 4)
        A[1] = a // b
        A[2] = a % b
        A[3] = T.truncdiv(a, b)
        A[4] = T.truncmod(a, b)
        A[5] = T.floordiv(a, b) + T.floormod(a, b)
        A[6] = T.Div(a, b) + T.Mod(a, b)
        A[7] = T.indexdiv(a, 3) + T.indexmod(a, 3)
        A[8] = a << 2 | b >> 1
        A[9] = a & 5 ^ ~b
        A[10] = T.shift_left(a, 3) + T.shift_right(b, 1)
        A[11] = T.bitwise_and(a, 6) + T.bitwise_or(a, 8) + T.bitwise_xor(a, b) + T.bitwise_not(a)
        A[12] = T.min(a, b) + T.max(a, b) + T.abs(b)
        A[13] = T.Select(a > b, a, b)
        A[14] = T.if_then_else(a > 0 and b > 0, a // b, 0)
        A[15] = T.Cast("int32", 0 < a <= 7 < b or not (a == b))
        A[16] = T.likely(a) + T.call_intrin("int32", "tir.likely", b)
        A[17] = T.call_intrin("int32", "tir.shift_left", a, 1)
        A[18] = T.popcount(a) + T.clz(a)
        A[19] = -a + +b
        A[20] = a if b < 0 else b
        A[21] = T.Let(x * x, where={x: a + b})
        A[22] = T.Add(a, 1) + T.Sub(a, 1) * T.Mul(a, 2)
        A[23] = T.Cast("int32", T.And(T.LT(a, b), T.Or(T.GE(a, b), T.Not(T.EQ(a, b)))))
        A[24] = T.Cast("int32", T.logical_and(a != b, T.logical_or(T.NE(a, b), T.logical_not(T.LE(a, T.int32(3))))))
        A[25] = T.Cast("int32", T.GT(a, b))
        A[26] = T.tvm_thread_invariant(a)
        A[27] = T.Cast("int32", T.isnullptr(T.address_of(A[0])))
        T.evaluate(T.assume(a > 0))
        A[28] = T.undef()
        A[28] = 28

    @T.prim_func
    def vectors(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), I: T.Buffer((8,), "int32"), X: T.Buffer((8,), "int8"), Y: T.Buffer((8,), "uint8")):
        T.func_attr({"tir.noalias": True})
        B[0:8] = A[8:16] + A[0:16:2]
        B[T.Ramp(8, 1, 4)] = T.vectorlow("float32x4", A[0:8])
        B[12:16] = T.vectorhigh("float32x4", A[0:8])
        B[0:8] = T.vectorcombine("float32x8", A[0:4], B[12:16])
        B[4:8] = T.Shuffle([A[0:4], A[4:8]], [0, 5, 2, 7])
        B.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(4, 1, 4)], predicate=T.get_active_lane_mask("boolx4", 1, 3)), predicate=T.get_active_lane_mask("boolx4", 2, 5))
        B[8:12] = T.Select(A[0:4] < T.Broadcast(T.float32(0), 4), T.float32x4(1.5), T.broadcast(A[0], 4))
        I[0] = T.dp4a(X[0:4], X[4:8], 5)
        I[1] = T.dp4a(Y[0:4], Y[4:8])
        I[2] = T.dp4a(T.int32(0x01FF0380), T.int32(0x02FE0480), -1)
        I[3] = T.reinterpret("int32", X[4:8])
        I[4:6] = T.reinterpret("int32x2", X[0:8])

    @T.prim_func
    def fixed(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            C[i] = T.q_multiply_shift(A[i], B[i], 31, -1)
        C[3] = C[3] + T.q_multiply_shift_per_axis(A[0], B[0], 2, 1, 31, T.bool(True), T.bool(True))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def constants(F: T.Buffer((20,), "float64"), I_: T.Buffer((20,), "int64"), H: T.Buffer((4,), "float16"), G: T.Buffer((4,), "bfloat16"), U: T.Buffer((4,), "uint64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        F[0] = T.float64(1.7976931348623157e308)
        F[1] = T.Cast("float64", T.float32(-3.4028235e38))
        F[2] = T.float64("inf")
        F[3] = T.Cast("float64", T.float16(65504.0))
        F[4] = T.Cast("float64", T.bfloat16(3.3895314e38))
        F[5] = T.float64("nan")
        F[6] = T.float64(-0.0)
        F[7] = T.Cast("float64", T.float32("-inf"))
        F[8] = T.float64(1e300)
        I_[0] = T.int64(-9223372036854775808)
        I_[1] = T.Cast("int64", T.int8(-128))
        I_[2] = T.Cast("int64", T.int16(32767))
        I_[3] = T.Cast("int64", T.uint8(255))
        I_[4] = T.Cast("int64", T.uint32(4294967295))
        I_[5] = T.int64(-9223372036854775808)
        I_[6] = T.Cast("int64", T.bool(True))
        I_[7] = T.Cast("int64", T.int8(-5)) + T.int64(65535)
        I_[8] = T.reinterpret("int64", T.float64(1.5))
        I_[9] = T.Cast("int64", T.Cast("float32", F[8]) > T.float32(1.0))
        H[0] = T.float16(0.099975586)
        H[1] = T.float16(65504.0)
        G[0] = T.bfloat16(0.100097656)
        U[0] = T.uint64(18446744073709551615)
        U[1] = T.uint64(18446744073709551615)

    @T.prim_func
    def fixed(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            C[i] = T.Cast("int32", T.Cast("int64", A[i]) * T.Cast("int64", B[i]) + (T.int64(1) << T.Sub(T.int64(31), T.int64(-1)) - T.int64(1)) >> T.Sub(T.int64(31), T.int64(-1)))
        C[3] = C[3] + T.Cast("int32", (T.Cast("int64", A[0]) << T.Select(T.bool(True), T.int64(2), T.int64(0))) * T.Cast("int64", B[0]) + (T.int64(1) << T.int64(31) - (T.int64(0) - T.Select(T.bool(True), T.int64(1), T.int64(0))) - T.int64(1)) >> T.int64(31) - (T.int64(0) - T.Select(T.bool(True), T.int64(1), T.int64(0))))

    @T.prim_func
    def integers(A: T.Buffer((40,), "int32"), a: T.int32, b: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        A[0] = (a + 4 - 1) // 4
        A[1] = a // b
        A[2] = a % b
        A[3] = T.Div(a, b)
        A[4] = T.truncmod(a, b)
        A[5] = a // b + a % b
        A[6] = T.Div(a, b) + T.truncmod(a, b)
        A[7] = a // 3 + a % 3
        A[8] = a << 2 | b >> 1
        A[9] = a & 5 ^ (b ^ -1)
        A[10] = (a << 3) + (b >> 1)
        A[11] = (a & 6) + (a | 8) + (a ^ b) + (a ^ -1)
        A[12] = T.min(a, b) + T.max(a, b) + T.abs(b)
        A[13] = T.Select(a > b, a, b)
        A[14] = T.if_then_else(a > 0 and b > 0, a // b, 0)
        A[15] = T.Cast("int32", 0 < a and a <= 7 and 7 < b or not a == b)
        A[16] = a + b
        A[17] = a << 1
        A[18] = T.popcount(a) + T.clz(a)
        A[19] = 0 - a + b
        A[20] = T.if_then_else(b < 0, a, b)
        A[21] = T.Let(x * x, where={x: a + b})
        A[22] = a + 1 + (a - 1) * (a * 2)
        A[23] = T.Cast("int32", a < b and (a >= b or not a == b))
        A[24] = T.Cast("int32", a != b and (a != b or not a <= 3))
        A[25] = T.Cast("int32", a > b)
        A[26] = T.tvm_thread_invariant(a)
        A[27] = T.Cast("int32", T.isnullptr(T.address_of(A[0])))
        T.assume(a > 0)
        A[28] = T.undef("int32")
        A[28] = 28

    @T.prim_func
    def vectors(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), I_: T.Buffer((8,), "int32"), X: T.Buffer((8,), "int8"), Y: T.Buffer((8,), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[T.Ramp(0, 1, 8)] = A[T.Ramp(8, 1, 8)] + A[T.Ramp(0, 2, 8)]
        B[T.Ramp(8, 1, 4)] = T.Shuffle([A[T.Ramp(0, 1, 8)]], [0, 1, 2, 3])
        B[T.Ramp(12, 1, 4)] = T.Shuffle([A[T.Ramp(0, 1, 8)]], [4, 5, 6, 7])
        B[T.Ramp(0, 1, 8)] = T.Shuffle([A[T.Ramp(0, 1, 4)], B[T.Ramp(12, 1, 4)]], [0, 1, 2, 3, 4, 5, 6, 7])
        B[T.Ramp(4, 1, 4)] = T.Shuffle([A[T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)]], [0, 5, 2, 7])
        B.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(4, 1, 4)], predicate=T.Ramp(1, 1, 4) < T.Broadcast(3, 4)), predicate=T.Ramp(2, 1, 4) < T.Broadcast(5, 4))
        B[T.Ramp(8, 1, 4)] = T.Select(A[T.Ramp(0, 1, 4)] < T.Broadcast(T.float32(0.0), 4), T.Broadcast(T.float32(1.5), 4), T.Broadcast(A[0], 4))
        I_[0] = 5 + T.Shuffle([T.Cast("int32x4", X[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", X[T.Ramp(4, 1, 4)])], [0]) + T.Shuffle([T.Cast("int32x4", X[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", X[T.Ramp(4, 1, 4)])], [1]) + T.Shuffle([T.Cast("int32x4", X[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", X[T.Ramp(4, 1, 4)])], [2]) + T.Shuffle([T.Cast("int32x4", X[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", X[T.Ramp(4, 1, 4)])], [3])
        I_[1] = 0 + T.Shuffle([T.Cast("int32x4", Y[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", Y[T.Ramp(4, 1, 4)])], [0]) + T.Shuffle([T.Cast("int32x4", Y[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", Y[T.Ramp(4, 1, 4)])], [1]) + T.Shuffle([T.Cast("int32x4", Y[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", Y[T.Ramp(4, 1, 4)])], [2]) + T.Shuffle([T.Cast("int32x4", Y[T.Ramp(0, 1, 4)]) * T.Cast("int32x4", Y[T.Ramp(4, 1, 4)])], [3])
        I_[2] = -1 + T.Shuffle([T.Cast("int32x4", T.reinterpret("int8x4", 33489792)) * T.Cast("int32x4", T.reinterpret("int8x4", 50201728))], [0]) + T.Shuffle([T.Cast("int32x4", T.reinterpret("int8x4", 33489792)) * T.Cast("int32x4", T.reinterpret("int8x4", 50201728))], [1]) + T.Shuffle([T.Cast("int32x4", T.reinterpret("int8x4", 33489792)) * T.Cast("int32x4", T.reinterpret("int8x4", 50201728))], [2]) + T.Shuffle([T.Cast("int32x4", T.reinterpret("int8x4", 33489792)) * T.Cast("int32x4", T.reinterpret("int8x4", 50201728))], [3])
        I_[3] = T.reinterpret("int32", X[T.Ramp(4, 1, 4)])
        I_[T.Ramp(4, 1, 2)] = T.reinterpret("int32x2", X[T.Ramp(0, 1, 8)])
