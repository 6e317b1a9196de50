# Every function of floats and integers, by its name and by the other names that the field has for it.
# test: print
# run: floats tol=1e-5 == same
# run: floats special tol=1e-5 == same
# run: halves tol=2e-3 == same
# run: integers == same
# run: integers special == same
# run: by_name tol=1e-5 == same

@I.ir_module
class Module:
    @T.prim_func
    def floats(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), F: T.Buffer((48, 8), "float32"), P: T.Buffer((3, 8), "bool")):
        T.func_attr({"tir.noalias": True})
        for i in range(8):
            F[0, i] = T.exp(A[i])
            F[1, i] = T.exp2(A[i])
            F[2, i] = T.exp10(A[i])
            F[3, i] = T.expm1(A[i])
            F[4, i] = T.log(T.abs(A[i]) + 0.5)
            F[5, i] = T.log2(T.fabs(A[i]) + 0.5)
            F[6, i] = T.log10(T.abs(A[i]) + 0.5)
            F[7, i] = T.log1p(T.abs(A[i]))
            F[8, i] = T.sin(A[i])
            F[9, i] = T.cos(A[i])
            F[10, i] = T.tan(A[i] * 0.5)
            F[11, i] = T.asin(T.tanh(A[i]))
            F[12, i] = T.acos(T.tanh(A[i]))
            F[13, i] = T.atan(A[i])
            F[14, i] = T.sinh(A[i])
            F[15, i] = T.cosh(A[i])
            F[16, i] = T.tanh(A[i])
            F[17, i] = T.asinh(A[i])
            F[18, i] = T.acosh(T.abs(A[i]) + 1.5)
            F[19, i] = T.atanh(T.tanh(A[i]) * 0.9)
            F[20, i] = T.erf(A[i])
            F[21, i] = T.sigmoid(A[i])
            F[22, i] = T.sqrt(T.abs(A[i]))
            F[23, i] = T.rsqrt(T.abs(A[i]) + 0.5)
            F[24, i] = T.floor(A[i])
            F[25, i] = T.ceil(A[i])
            F[26, i] = T.trunc(A[i])
            F[27, i] = T.round(A[i] * 2.0)
            F[28, i] = T.nearbyint(A[i] * 2.0) + T.rint(A[i])
            F[29, i] = T.pow(T.abs(A[i]) + 0.5, B[i])
            F[30, i] = T.power(T.abs(A[i]) + 0.5, 2.0)
            F[31, i] = T.atan2(A[i], B[i])
            F[32, i] = T.hypot(A[i], B[i])
            F[33, i] = T.copysign(A[i], B[i])
            F[34, i] = T.nextafter(A[i], B[i])
            F[35, i] = T.fma(A[i], B[i], 0.25)
            F[36, i] = T.fmod(A[i], B[i])
            F[37, i] = T.ldexp(A[i], i - 3)
            F[38, i] = T.max(A[i], B[i]) - T.min(A[i], B[i])
            F[39, i] = T.if_then_else(A[i] > B[i], A[i], T.exp(B[i]))
            F[40, i] = T.Select(A[i] > B[i], A[i], B[i])
            F[41, i] = T.div(A[i], B[i]) + A[i] / B[i]
            F[42, i] = T.floordiv(A[i], B[i])
            F[43, i] = T.floormod(A[i], B[i])
            F[44, i] = T.ceildiv(A[i], B[i])
            F[45, i] = T.reinterpret("float32", T.reinterpret("uint32", A[i]) ^ T.uint32(2147483648))
            F[46, i] = T.Cast("float32", T.Cast("int32", A[i] * 100.0))
            F[47, i] = -A[i]
            P[0, i] = T.isnan(A[i])
            P[1, i] = T.isinf(A[i] / (B[i] - B[i]))
            P[2, i] = T.isfinite(A[i])

    @T.prim_func
    def halves(A: T.Buffer((8,), "float16"), B: T.Buffer((8,), "bfloat16"), F: T.Buffer((4, 8), "float16"), G: T.Buffer((4, 8), "bfloat16")):
        T.func_attr({"tir.noalias": True})
        for i in range(8):
            F[0, i] = T.exp(A[i])
            F[1, i] = T.sqrt(T.abs(A[i])) * A[i]
            F[2, i] = T.tanh(A[i]) + T.float16(0.5)
            F[3, i] = T.Cast("float16", B[i])
            G[0, i] = T.sigmoid(B[i])
            G[1, i] = T.fma(B[i], B[i], B[i])
            G[2, i] = T.max(B[i], T.bfloat16(0.5))
            G[3, i] = A[i].astype("bfloat16")

    @T.prim_func
    def integers(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int8"), U: T.Buffer((8,), "uint16"), F: T.Buffer((12, 8), "int32"), C: T.Buffer((4, 8), "int8"), V: T.Buffer((4, 8), "uint16")):
        T.func_attr({"tir.noalias": True})
        for i in range(8):
            F[0, i] = T.popcount(A[i])
            F[1, i] = T.clz(A[i])
            F[2, i] = T.abs(A[i])
            F[3, i] = T.shift_left(A[i], i * 8)
            F[4, i] = T.shift_right(A[i], i * 8)
            F[5, i] = A[i] // 7 + A[i] % 7 + T.truncdiv(A[i], 7) + T.truncmod(A[i], 7)
            F[6, i] = A[i] // -7 + A[i] % -7
            F[7, i] = A[i] * A[i] + T.Cast("int32", U[i])
            F[8, i] = T.reinterpret("int32", T.Cast("float32", A[i]))
            F[9, i] = T.Cast("int32", A[i] > 3 and B[i] < T.int8(3))
            F[10, i] = T.Cast("int32", T.popcount(B[i]))
            F[11, i] = T.Cast("int32", U[i] // T.uint16(3))
            C[0, i] = B[i] + B[i]
            C[1, i] = B[i] // T.int8(3)
            C[2, i] = T.Cast("int8", A[i])
            C[3, i] = T.max(B[i], T.int8(-1)) >> T.int8(2)
            V[0, i] = U[i] * U[i]
            V[1, i] = U[i] >> T.uint16(3)
            V[2, i] = T.Cast("uint16", A[i])
            V[3, i] = U[i] ^ T.uint16(65535)

    @T.prim_func
    def by_name(A: T.Buffer((4,), "float32"), F: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        F[0] = T.call_intrin("float32", "tir.exp", A[0])
        F[1] = T.call_intrin("float32", "tir.if_then_else", A[0] > 0.0, A[1], A[2])
        F[2] = T.call_intrin("float32", "tir.reinterpret", T.int32(1065353216))
        F[3] = T.call_intrin("tir.sqrt", T.abs(A[3]), dtype="float32")

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def by_name(A: T.Buffer((4,), "float32"), F: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        F[0] = T.exp(A[0])
        F[1] = T.if_then_else(A[0] > T.float32(0.0), A[1], A[2])
        F[2] = T.reinterpret("float32", 1065353216)
        F[3] = T.sqrt(T.abs(A[3]))

    @T.prim_func
    def floats(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), F: T.Buffer((48, 8), "float32"), P: T.Buffer((3, 8), "bool")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            F[0, i] = T.exp(A[i])
            F[1, i] = T.exp2(A[i])
            F[2, i] = T.exp10(A[i])
            F[3, i] = T.expm1(A[i])
            F[4, i] = T.log(T.abs(A[i]) + T.float32(0.5))
            F[5, i] = T.log2(T.abs(A[i]) + T.float32(0.5))
            F[6, i] = T.log10(T.abs(A[i]) + T.float32(0.5))
            F[7, i] = T.log1p(T.abs(A[i]))
            F[8, i] = T.sin(A[i])
            F[9, i] = T.cos(A[i])
            F[10, i] = T.tan(A[i] * T.float32(0.5))
            F[11, i] = T.asin(T.tanh(A[i]))
            F[12, i] = T.acos(T.tanh(A[i]))
            F[13, i] = T.atan(A[i])
            F[14, i] = T.sinh(A[i])
            F[15, i] = T.cosh(A[i])
            F[16, i] = T.tanh(A[i])
            F[17, i] = T.asinh(A[i])
            F[18, i] = T.acosh(T.abs(A[i]) + T.float32(1.5))
            F[19, i] = T.atanh(T.tanh(A[i]) * T.float32(0.9))
            F[20, i] = T.erf(A[i])
            F[21, i] = T.sigmoid(A[i])
            F[22, i] = T.sqrt(T.abs(A[i]))
            F[23, i] = T.rsqrt(T.abs(A[i]) + T.float32(0.5))
            F[24, i] = T.floor(A[i])
            F[25, i] = T.ceil(A[i])
            F[26, i] = T.trunc(A[i])
            F[27, i] = T.round(A[i] * T.float32(2.0))
            F[28, i] = T.round(A[i] * T.float32(2.0)) + T.round(A[i])
            F[29, i] = T.pow(T.abs(A[i]) + T.float32(0.5), B[i])
            F[30, i] = T.pow(T.abs(A[i]) + T.float32(0.5), T.float32(2.0))
            F[31, i] = T.atan2(A[i], B[i])
            F[32, i] = T.hypot(A[i], B[i])
            F[33, i] = T.copysign(A[i], B[i])
            F[34, i] = T.nextafter(A[i], B[i])
            F[35, i] = T.fma(A[i], B[i], T.float32(0.25))
            F[36, i] = T.truncmod(A[i], B[i])
            F[37, i] = A[i] * T.exp2(T.Cast("float32", i - 3))
            F[38, i] = T.max(A[i], B[i]) - T.min(A[i], B[i])
            F[39, i] = T.if_then_else(A[i] > B[i], A[i], T.exp(B[i]))
            F[40, i] = T.Select(A[i] > B[i], A[i], B[i])
            F[41, i] = A[i] / B[i] + A[i] / B[i]
            F[42, i] = A[i] // B[i]
            F[43, i] = A[i] % B[i]
            F[44, i] = T.ceil(A[i] / B[i])
            F[45, i] = T.reinterpret("float32", T.reinterpret("uint32", A[i]) ^ T.uint32(2147483648))
            F[46, i] = T.Cast("float32", T.Cast("int32", A[i] * T.float32(100.0)))
            F[47, i] = A[i] * T.float32(-1.0)
            P[0, i] = T.isnan(A[i])
            P[1, i] = T.isinf(A[i] / (B[i] - B[i]))
            P[2, i] = T.isfinite(A[i])

    @T.prim_func
    def halves(A: T.Buffer((8,), "float16"), B: T.Buffer((8,), "bfloat16"), F: T.Buffer((4, 8), "float16"), G: T.Buffer((4, 8), "bfloat16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            F[0, i] = T.exp(A[i])
            F[1, i] = T.sqrt(T.abs(A[i])) * A[i]
            F[2, i] = T.tanh(A[i]) + T.float16(0.5)
            F[3, i] = T.Cast("float16", B[i])
            G[0, i] = T.sigmoid(B[i])
            G[1, i] = T.fma(B[i], B[i], B[i])
            G[2, i] = T.max(B[i], T.bfloat16(0.5))
            G[3, i] = T.Cast("bfloat16", A[i])

    @T.prim_func
    def integers(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int8"), U: T.Buffer((8,), "uint16"), F: T.Buffer((12, 8), "int32"), C: T.Buffer((4, 8), "int8"), V: T.Buffer((4, 8), "uint16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            F[0, i] = T.popcount(A[i])
            F[1, i] = T.clz(A[i])
            F[2, i] = T.abs(A[i])
            F[3, i] = A[i] << i * 8
            F[4, i] = A[i] >> i * 8
            F[5, i] = A[i] // 7 + A[i] % 7 + T.Div(A[i], 7) + T.truncmod(A[i], 7)
            F[6, i] = A[i] // -7 + A[i] % -7
            F[7, i] = A[i] * A[i] + T.Cast("int32", U[i])
            F[8, i] = T.reinterpret("int32", T.Cast("float32", A[i]))
            F[9, i] = T.Cast("int32", A[i] > 3 and B[i] < T.int8(3))
            F[10, i] = T.Cast("int32", T.popcount(B[i]))
            F[11, i] = T.Cast("int32", U[i] // T.uint16(3))
            C[0, i] = B[i] + B[i]
            C[1, i] = B[i] // T.int8(3)
            C[2, i] = T.Cast("int8", A[i])
            C[3, i] = T.max(B[i], T.int8(-1)) >> T.int8(2)
            V[0, i] = U[i] * U[i]
            V[1, i] = U[i] >> T.uint16(3)
            V[2, i] = T.Cast("uint16", A[i])
            V[3, i] = U[i] ^ T.uint16(65535)
