# A linear index of a tensor has indices inside of it, whatever its dimensions are: where there is an element,
# none of them is 0, and no product of them overflows. Of dimensions of several tensors nothing says the second. An index
# that comes from memory has a check all the same: code generation looks for it.
# test: lower
# run: main n=3 m=5 k=4 == same
# run: main n=1 m=7 k=33 special == same
# run: main n=0 m=3 k=2 == same
# run: main n=3 m=3 k=0 == same
# run: apart n=3 m=5 k=4 == same
# run: apart n=3 m=0 k=4 == same
# run: chosen n=3 m=37 == same
# run: chosen n=1 m=16 special == same
# run: loaded n=5 == same
# run: loaded n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n, m, k = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n, m, k), "float32")
        B = T.match_buffer(b, (k, n, m), "float32")
        for t in T.parallel(n * m * k):
            B[t % k, t // (m * k), t // k % m] = A[t // (m * k), t // k % m, t % k]

    @T.prim_func
    def apart(a: T.handle, b: T.handle, c: T.handle):
        n, m, k = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        C = T.match_buffer(c, (k,), "float32")
        for t in range(n * m * k):
            C[t // (n * m)] = A[t // m % n] + B[t % m]

    @T.prim_func
    def chosen(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        for t in range(n * ((m + T.int64(15)) // T.int64(16))):
            if t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + T.int64(15) < m:
                for j in range(T.int64(16)):
                    B[t // ((m + T.int64(15)) // T.int64(16)), t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j] = (
                        A[t // ((m + T.int64(15)) // T.int64(16)), t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j]
                    )
            else:
                for j in range(T.int64(16)):
                    if t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j < m:
                        B[t // ((m + T.int64(15)) // T.int64(16)), t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j] = (
                            A[t // ((m + T.int64(15)) // T.int64(16)), t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j]
                        )

    @T.prim_func
    def loaded(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "int64")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            C[i] = A[T.max(T.min(B[i], n - T.int64(1)), T.int64(0))]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def apart(a: T.handle, b: T.handle, c: T.handle, n: T.int64, m: T.int64, k: T.int64):
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        C = T.match_buffer(c, (k,), "float32")
        for t in range(n * m * k):
            assert T.int64(0) <= t // (n * m) and t // (n * m) < k, "index out of range: dimension 0 of buffer `C`"
            C[t // (n * m)] = A[t // m % n] + B[t % m]

    @T.prim_func
    def chosen(a: T.handle, b: T.handle, n: T.int64, m: T.int64):
        A = T.match_buffer(a, (n * m,), "float32")
        B = T.match_buffer(b, (n * m,), "float32")
        for t in range(n * ((m + T.int64(15)) // T.int64(16))):
            if t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + T.int64(15) < m:
                for j in range(T.int64(16)):
                    B[m * (t // ((m + T.int64(15)) // T.int64(16))) + t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j] = A[m * (t // ((m + T.int64(15)) // T.int64(16))) + t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j]
            else:
                for j in range(T.int64(16)):
                    if t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j < m:
                        B[m * (t // ((m + T.int64(15)) // T.int64(16))) + t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j] = A[m * (t // ((m + T.int64(15)) // T.int64(16))) + t % ((m + T.int64(15)) // T.int64(16)) * T.int64(16) + j]

    @T.prim_func
    def loaded(a: T.handle, b: T.handle, c: T.handle, n: T.int64):
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "int64")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            assert T.max(T.min(B[i], n - T.int64(1)), T.int64(0)) < n, "index out of range: dimension 0 of buffer `A`"
            C[i] = A[T.max(T.min(B[i], n - T.int64(1)), T.int64(0))]

    @T.prim_func
    def main(a: T.handle, b: T.handle, n: T.int64, m: T.int64, k: T.int64):
        A = T.match_buffer(a, (n * m * k,), "float32")
        B = T.match_buffer(b, (k * n * m,), "float32")
        for t in T.parallel(n * m * k):
            B[n * m * (t % k) + m * (t // (m * k)) + t // k % m] = A[m * k * (t // (m * k)) + k * (t // k % m) + t % k]
