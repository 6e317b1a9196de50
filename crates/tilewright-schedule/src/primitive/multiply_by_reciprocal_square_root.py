# The reciprocal of a square root that a row has in common is computed once for each row, wherever the block divides by it.
# test: schedule
# step: b = get_block("normal")
# step: multiply_by_reciprocal(b)
# run: main n=3 == same
# run: main n=0 == same
# run: main n=5 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 37), "float32")
        Y = T.match_buffer(var_Y, (n, 37), "float32")
        squares = T.alloc_buffer((n, 1), "float32")
        for i, u, k in T.grid(n, 1, 37):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for i, j in T.grid(n, 37):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] / T.sqrt(squares[vi, 0] + T.float32(0.5)) * T.float32(2) + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 37), "float32")
        Y = T.match_buffer(var_Y, (n, 37), "float32")
        # with T.block("root"):
        squares = T.alloc_buffer((n, 1))
        squares_reciprocal = T.alloc_buffer((n, 1))
        for i, u, k in T.grid(n, 1, 37):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                T.reads(X[vi, vk])
                T.writes(squares[vi, vu])
                with T.init():
                    squares[vi, vu] = T.float32(0.0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for ax0, ax1 in T.grid(n, 1):
            with T.block("squares_reciprocal"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(squares[v0, v1])
                T.writes(squares_reciprocal[v0, v1])
                squares_reciprocal[v0, v1] = T.float32(1.0) / T.sqrt(squares[v0, v1] + T.float32(0.5))
        for i, j in T.grid(n, 37):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj], squares_reciprocal[vi, 0])
                T.writes(Y[vi, vj])
                Y[vi, vj] = X[vi, vj] * squares_reciprocal[vi, 0] * T.float32(2.0) + T.float32(1.0)
