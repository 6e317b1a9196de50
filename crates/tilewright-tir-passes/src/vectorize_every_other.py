# Every other element is read in vectors of every length, from the first element of a buffer to its last one.
# test: run
# run: main == same
# run: main special tol=0 == same
# run: bytes == same


@I.ir_module
class Module:
    @T.prim_func
    def main(
        A: T.Buffer((3, 111), "float32"),
        B: T.Buffer((3, 56), "float32"),
        C: T.Buffer((4,), "float32"),
        D: T.Buffer((3, 20), "float32"),
        E: T.Buffer((3, 16), "float32"),
    ):
        for i in range(3):
            for j in T.vectorized(56):
                B[i, j] = A[i, j * 2]
            for j in T.vectorized(20):
                D[i, j] = A[i, 72 + j * 2] + A[i, 71 + j * 2]
            for j in T.vectorized(16):
                E[i, j] = A[i, j * 2 + 3] - A[i, 30 - j * 2]
        for j in T.vectorized(4):
            C[j] = A[2, 104 + j * 2]

    @T.prim_func
    def bytes(A: T.Buffer((199,), "int8"), B: T.Buffer((100,), "int8"), C: T.Buffer((71,), "float64"), D: T.Buffer((36,), "float64")):
        for j in T.vectorized(100):
            B[j] = A[j * 2]
        for j in T.vectorized(36):
            D[j] = C[j * 2]
