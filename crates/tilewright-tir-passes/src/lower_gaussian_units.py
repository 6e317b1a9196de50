# The Gaussian error linear unit, in any order of its factors, and products that only resemble it.
# test: run
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((70,), "float32"), Y: T.Buffer((7, 70), "float32")):
        for i in T.vectorized(70):
            Y[0, i] = X[i] * T.float32(0.5) * (T.erf(X[i] * T.float32(0.70710678)) + T.float32(1))
        for i in T.vectorized(70):
            Y[1, i] = X[i] * (T.float32(0.5) + T.float32(0.5) * T.erf(X[i] / T.float32(1.41421356)))
        for i in T.vectorized(70):
            Y[2, i] = (T.float32(1) + T.erf(X[i] * T.float32(0.70710678))) * X[i] * T.float32(3)
        for i in T.vectorized(70):
            Y[3, i] = X[i] * T.float32(-0.5) * (T.erf(X[i] * T.float32(0.6)) + T.float32(1))
        for i in T.vectorized(70):
            Y[4, i] = X[i] * T.float32(1e30) * T.float32(1e30) * (T.float32(1) + T.erf(X[i] * T.float32(0.70710678)))
        for i in T.vectorized(70):
            Y[5, i] = X[i] * T.float32(0.5) * (T.erf(X[i] * T.float32(0.7072)) + T.float32(1))
        for i in T.vectorized(70):
            Y[6, i] = X[i] * T.float32(-0.5) * (T.erf(X[i] * T.float32(0.70710678)) + T.float32(1))
