# Dimensions that are computed from arguments: indices in them are inside without a check for each of them, as an
# argument that is too large for the arithmetic ends the run before.
# test: lower
# run: main a=5 b=9 == same
# run: main a=1 b=0 == same
# run: main a=0 b=7 == same
# run: main a=33 b=31 special == same
# run: batched n=3 length=5 == same
# run: batched n=1 length=0 == same
# run: doubled n=3 == same
# run: doubled n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle, a: T.int64, b: T.int64):
        A = T.match_buffer(x, (T.int64(2), (a + 1) // 2, b + 1), "float32")
        B = T.match_buffer(y, (T.int64(2), (a + 1) // 2, b + 1), "float32")
        for t in T.parallel(T.int64(2) * ((a + 7) // 8)):
            for r in range(T.int64(4)):
                for c in range((b + 16) // 16):
                    for lane in T.vectorized(T.int64(16)):
                        if t % ((a + 7) // 8) * 4 + r < (a + 1) // 2 and c * 16 + lane < b + 1:
                            B[t // ((a + 7) // 8), t % ((a + 7) // 8) * 4 + r, c * 16 + lane] = (
                                A[t // ((a + 7) // 8), t % ((a + 7) // 8) * 4 + r, c * 16 + lane] + T.float32(1)
                            )

    @T.prim_func
    def doubled(x: T.handle, y: T.handle, n: T.int64):
        A = T.match_buffer(x, (n * 2 + 1,), "float32")
        B = T.match_buffer(y, (n * 2,), "float32")
        for i in range(n * 2):
            B[i] = A[i] + A[i + 1]

    @T.prim_func
    def batched(x: T.handle, y: T.handle, length: T.int64):
        n = T.int64()
        A = T.match_buffer(x, (n, length * 8 + 4), "float32")
        B = T.match_buffer(y, (n, length * 8), "float32")
        for task in T.parallel(n * ((length + 1) // 2)):
            for lane in T.vectorized(T.int64(16)):
                if task % ((length + 1) // 2) * 16 + lane < length * 8:
                    B[task // ((length + 1) // 2), task % ((length + 1) // 2) * 16 + lane] = (
                        A[task // ((length + 1) // 2), task % ((length + 1) // 2) * 16 + lane + 4]
                    )

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def batched(x: T.handle, y: T.handle, length: T.int64, n: T.int64):
        A = T.match_buffer(x, (n * (length * T.int64(8) + T.int64(4)),))
        B = T.match_buffer(y, (n * length * T.int64(8),))
        assert T.int64(-4503599627370496) < length and length < T.int64(4503599627370496), "the size `length`, from which dimensions are computed, is out of range"
        for task in T.parallel(n * ((length + T.int64(1)) // T.int64(2))):
            B.vstore([T.Ramp(length * (task // ((length + T.int64(1)) // T.int64(2))) * T.int64(8) + task % ((length + T.int64(1)) // T.int64(2)) * T.int64(16), T.int64(1), 16)], A.vload([T.Ramp(task // ((length + T.int64(1)) // T.int64(2)) * (length * T.int64(8) + T.int64(4)) + task % ((length + T.int64(1)) // T.int64(2)) * T.int64(16) + T.int64(4), T.int64(1), 16)], predicate=T.Ramp(task % ((length + T.int64(1)) // T.int64(2)) * T.int64(16), T.int64(1), 16) < T.Broadcast(length * T.int64(8), 16)), predicate=T.Ramp(task % ((length + T.int64(1)) // T.int64(2)) * T.int64(16), T.int64(1), 16) < T.Broadcast(length * T.int64(8), 16))

    @T.prim_func
    def doubled(x: T.handle, y: T.handle, n: T.int64):
        A = T.match_buffer(x, (n * T.int64(2) + T.int64(1),))
        B = T.match_buffer(y, (n * T.int64(2),))
        assert T.int64(-4503599627370496) < n and n < T.int64(4503599627370496), "the size `n`, from which dimensions are computed, is out of range"
        for i in range(n * T.int64(2)):
            B[i] = A[i] + A[i + T.int64(1)]

    @T.prim_func
    def main(x: T.handle, y: T.handle, a: T.int64, b: T.int64):
        A = T.match_buffer(x, ((a + T.int64(1)) // T.int64(2) * T.int64(2) * (b + T.int64(1)),))
        B = T.match_buffer(y, ((a + T.int64(1)) // T.int64(2) * T.int64(2) * (b + T.int64(1)),))
        assert T.int64(-4503599627370496) < a and a < T.int64(4503599627370496), "the size `a`, from which dimensions are computed, is out of range"
        assert T.int64(-4503599627370496) < b and b < T.int64(4503599627370496), "the size `b`, from which dimensions are computed, is out of range"
        for t in T.parallel((a + T.int64(7)) // T.int64(8) * T.int64(2)):
            for r in range(T.int64(4)):
                for c in range(T.max((b + T.int64(1)) // T.int64(16), T.int64(0))):
                    if t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r < (a + T.int64(1)) // T.int64(2):
                        B[T.Ramp((a + T.int64(1)) // T.int64(2) * (t // ((a + T.int64(7)) // T.int64(8))) * (b + T.int64(1)) + (b + T.int64(1)) * (t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r) + c * T.int64(16), T.int64(1), 16)] = A[T.Ramp((a + T.int64(1)) // T.int64(2) * (t // ((a + T.int64(7)) // T.int64(8))) * (b + T.int64(1)) + (b + T.int64(1)) * (t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r) + c * T.int64(16), T.int64(1), 16)] + T.Broadcast(T.float32(1.0), 16)
                for c in range(T.max((b + T.int64(1)) // T.int64(16), T.int64(0)), T.max((b + T.int64(1)) // T.int64(16), T.int64(0)) + T.max(b // T.int64(16) - T.max((b + T.int64(1)) // T.int64(16), T.int64(0)) + T.int64(1), T.int64(0))):
                    B.vstore([T.Ramp((a + T.int64(1)) // T.int64(2) * (t // ((a + T.int64(7)) // T.int64(8))) * (b + T.int64(1)) + (b + T.int64(1)) * (t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r) + c * T.int64(16), T.int64(1), 16)], A.vload([T.Ramp((a + T.int64(1)) // T.int64(2) * (t // ((a + T.int64(7)) // T.int64(8))) * (b + T.int64(1)) + (b + T.int64(1)) * (t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r) + c * T.int64(16), T.int64(1), 16)], predicate=T.Broadcast(t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r < (a + T.int64(1)) // T.int64(2), 16) and T.Ramp(c * T.int64(16), T.int64(1), 16) <= T.Broadcast(b, 16)) + T.Broadcast(T.float32(1.0), 16), predicate=T.Broadcast(t % ((a + T.int64(7)) // T.int64(8)) * T.int64(4) + r < (a + T.int64(1)) // T.int64(2), 16) and T.Ramp(c * T.int64(16), T.int64(1), 16) <= T.Broadcast(b, 16))
