# Functions outside of modules, in a file with namespaces of other names, documentation and literals of the file.
# test: print
# run: scale == same
# run: negated == same

import tvm
from tvm.script import relax as Y
from tvm.script import tir as X

N = 4
FACTORS = (0.5, 2.0)

@X.prim_func
def scale(A: X.Buffer[(N,), "float32"]):
    """What a function is for is not read."""
    X.func_attr({"tir.noalias": True})
    ...
    for i in range(N):
        A[i] *= FACTORS[0]
    if N == 5:
        A[0] = 0.0
    A[2 * N + 1 - 7] = FACTORS[1]
    return

@Y.function
def negated(x: Y.Tensor((N,), "float32")):
    y = Y.negative(x)
    return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def scale(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            A[i] = A[i] * T.float32(0.5)
        A[2] = T.float32(2.0)

    @R.function
    def negated(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.negative(x)
        return y
