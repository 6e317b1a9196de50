# Powers are 0 below a bound that the machine's own formulas compare with: of numbers on both sides of it, of infinities and
# NaN, in vectors of fewer lanes than a register has, as many and more. Each lane has each number.
# test: run
# run: in_1(f32[11]=[-103.9, -103.98, -104, -104.00001, -105, -120, -151, -180, -1e4, -3e38, -inf], f32[11,1], f32[11,1], f32[11,1]) == same
# run: in_1(f32[11]=[-148.9, -149.4, -150.5, -151, -151.00002, -152, -180, -200, -1e4, -3e38, -inf], f32[11,1], f32[11,1], f32[11,1]) == same
# run: in_1(f32[11]=[-inf, inf, nan, 3e38, -3e38, 0, -0.0, -88.8, 88.8, -126.5, 128.5], f32[11,1], f32[11,1], f32[11,1]) == same
# run: in_3(f32[11]=[-103.9, -103.98, -104, -104.00001, -105, -120, -151, -180, -1e4, -3e38, -inf], f32[11,3], f32[11,3], f32[11,3]) == same
# run: in_3(f32[11]=[-148.9, -149.4, -150.5, -151, -151.00002, -152, -180, -200, -1e4, -3e38, -inf], f32[11,3], f32[11,3], f32[11,3]) == same
# run: in_3(f32[11]=[-inf, inf, nan, 3e38, -3e38, 0, -0.0, -88.8, 88.8, -126.5, 128.5], f32[11,3], f32[11,3], f32[11,3]) == same
# run: in_8(f32[11]=[-103.9, -103.98, -104, -104.00001, -105, -120, -151, -180, -1e4, -3e38, -inf], f32[11,8], f32[11,8], f32[11,8]) == same
# run: in_8(f32[11]=[-148.9, -149.4, -150.5, -151, -151.00002, -152, -180, -200, -1e4, -3e38, -inf], f32[11,8], f32[11,8], f32[11,8]) == same
# run: in_8(f32[11]=[-inf, inf, nan, 3e38, -3e38, 0, -0.0, -88.8, 88.8, -126.5, 128.5], f32[11,8], f32[11,8], f32[11,8]) == same
# run: in_16(f32[11]=[-103.9, -103.98, -104, -104.00001, -105, -120, -151, -180, -1e4, -3e38, -inf], f32[11,16], f32[11,16], f32[11,16]) == same
# run: in_16(f32[11]=[-148.9, -149.4, -150.5, -151, -151.00002, -152, -180, -200, -1e4, -3e38, -inf], f32[11,16], f32[11,16], f32[11,16]) == same
# run: in_16(f32[11]=[-inf, inf, nan, 3e38, -3e38, 0, -0.0, -88.8, 88.8, -126.5, 128.5], f32[11,16], f32[11,16], f32[11,16]) == same
# run: in_32(f32[11]=[-103.9, -103.98, -104, -104.00001, -105, -120, -151, -180, -1e4, -3e38, -inf], f32[11,32], f32[11,32], f32[11,32]) == same
# run: in_32(f32[11]=[-148.9, -149.4, -150.5, -151, -151.00002, -152, -180, -200, -1e4, -3e38, -inf], f32[11,32], f32[11,32], f32[11,32]) == same
# run: in_32(f32[11]=[-inf, inf, nan, 3e38, -3e38, 0, -0.0, -88.8, 88.8, -126.5, 128.5], f32[11,32], f32[11,32], f32[11,32]) == same

@I.ir_module
class Module:
    @T.prim_func
    def in_1(
        X: T.Buffer((11,), "float32"),
        E: T.Buffer((11, 1), "float32"),
        P: T.Buffer((11, 1), "float32"),
        S: T.Buffer((11, 1), "float32"),
    ):
        for i in range(11):
            for l in T.vectorized(1):
                E[i, l] = T.exp(X[(i + l) % 11])
                P[i, l] = T.exp2(X[(i + l) % 11])
                S[i, l] = T.sigmoid(X[(i + l) % 11])

    @T.prim_func
    def in_3(
        X: T.Buffer((11,), "float32"),
        E: T.Buffer((11, 3), "float32"),
        P: T.Buffer((11, 3), "float32"),
        S: T.Buffer((11, 3), "float32"),
    ):
        for i in range(11):
            for l in T.vectorized(3):
                E[i, l] = T.exp(X[(i + l) % 11])
                P[i, l] = T.exp2(X[(i + l) % 11])
                S[i, l] = T.sigmoid(X[(i + l) % 11])

    @T.prim_func
    def in_8(
        X: T.Buffer((11,), "float32"),
        E: T.Buffer((11, 8), "float32"),
        P: T.Buffer((11, 8), "float32"),
        S: T.Buffer((11, 8), "float32"),
    ):
        for i in range(11):
            for l in T.vectorized(8):
                E[i, l] = T.exp(X[(i + l) % 11])
                P[i, l] = T.exp2(X[(i + l) % 11])
                S[i, l] = T.sigmoid(X[(i + l) % 11])

    @T.prim_func
    def in_16(
        X: T.Buffer((11,), "float32"),
        E: T.Buffer((11, 16), "float32"),
        P: T.Buffer((11, 16), "float32"),
        S: T.Buffer((11, 16), "float32"),
    ):
        for i in range(11):
            for l in T.vectorized(16):
                E[i, l] = T.exp(X[(i + l) % 11])
                P[i, l] = T.exp2(X[(i + l) % 11])
                S[i, l] = T.sigmoid(X[(i + l) % 11])

    @T.prim_func
    def in_32(
        X: T.Buffer((11,), "float32"),
        E: T.Buffer((11, 32), "float32"),
        P: T.Buffer((11, 32), "float32"),
        S: T.Buffer((11, 32), "float32"),
    ):
        for i in range(11):
            for l in T.vectorized(32):
                E[i, l] = T.exp(X[(i + l) % 11])
                P[i, l] = T.exp2(X[(i + l) % 11])
                S[i, l] = T.sigmoid(X[(i + l) % 11])
