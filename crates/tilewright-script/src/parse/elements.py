# Every element type: loops over those with arithmetic, graphs that carry those without.
# test: print
# run: numbers == same
# run: unsigned == same
# run: floats == same
# run: stored == same

@I.ir_module
class Module:
    @T.prim_func
    def numbers(P: T.Buffer((4,), "bool"), A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int16"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "int64")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            P[i] = not P[i] and T.bool(True)
            A[i] = A[i] + T.int8(100)
            B[i] = B[i] - T.int16(-32768)
            C[i] = C[i] * T.int32(3)
            D[i] = D[i] + T.int64(9223372036854775807)

    @T.prim_func
    def unsigned(A: T.Buffer((4,), "uint8"), B: T.Buffer((4,), "uint16"), C: T.Buffer((4,), "uint32"), D: T.Buffer((4,), "uint64")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            A[i] = A[i] - T.uint8(200)
            B[i] = B[i] * T.uint16(60000)
            C[i] = C[i] // T.uint32(3)
            D[i] = D[i] - T.uint64(18446744073709551615)

    @T.prim_func
    def floats(A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "bfloat16"), C: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float64")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            A[i] = A[i] * T.float16(0.5)
            B[i] = B[i] + T.bfloat16(1)
            C[i] = C[i] - T.float32("inf")
            D[i] = D[i] + T.float64(1e-300)

    @R.function
    def stored(a: R.Tensor((3,), "int4"), b: R.Tensor((5,), "uint4"), c: R.Tensor((2,), "float8_e4m3fn"), d: R.Tensor((2,), "float8_e5m2"), e: R.Tensor((1,), "float4_e2m1fn")):
        t = (a, (b, c), d)
        return (t, e)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def floats(A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "bfloat16"), C: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            A[i] = A[i] * T.float16(0.5)
            B[i] = B[i] + T.bfloat16(1.0)
            C[i] = C[i] - T.float32("inf")
            D[i] = D[i] + T.float64(1e-300)

    @T.prim_func
    def numbers(P: T.Buffer((4,), "bool"), A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int16"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            P[i] = not P[i] and T.bool(True)
            A[i] = A[i] + T.int8(100)
            B[i] = B[i] - T.int16(-32768)
            C[i] = C[i] * 3
            D[i] = D[i] + T.int64(9223372036854775807)

    @T.prim_func
    def unsigned(A: T.Buffer((4,), "uint8"), B: T.Buffer((4,), "uint16"), C: T.Buffer((4,), "uint32"), D: T.Buffer((4,), "uint64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            A[i] = A[i] - T.uint8(200)
            B[i] = B[i] * T.uint16(60000)
            C[i] = C[i] // T.uint32(3)
            D[i] = D[i] - T.uint64(18446744073709551615)

    @R.function
    def stored(a: R.Tensor((3,), dtype="int4"), b: R.Tensor((5,), dtype="uint4"), c: R.Tensor((2,), dtype="float8_e4m3fn"), d: R.Tensor((2,), dtype="float8_e5m2"), e: R.Tensor((1,), dtype="float4_e2m1fn")) -> R.Tuple(R.Tuple(R.Tensor((3,), dtype="int4"), R.Tuple(R.Tensor((5,), dtype="uint4"), R.Tensor((2,), dtype="float8_e4m3fn")), R.Tensor((2,), dtype="float8_e5m2")), R.Tensor((1,), dtype="float4_e2m1fn")):
        t: R.Tuple(R.Tensor((3,), dtype="int4"), R.Tuple(R.Tensor((5,), dtype="uint4"), R.Tensor((2,), dtype="float8_e4m3fn")), R.Tensor((2,), dtype="float8_e5m2")) = (a, (b, c), d)
        return (t, e)
