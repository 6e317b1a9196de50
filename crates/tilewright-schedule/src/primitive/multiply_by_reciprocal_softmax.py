# The reciprocal of a softmax's sum is computed once for each row.
# test: schedule
# step: b = get_block("shares")
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
        largest = T.alloc_buffer((n, 1), "float32")
        powers = T.alloc_buffer((n, 37), "float32")
        total = T.alloc_buffer((n, 1), "float32")
        for i, u, k in T.grid(n, 1, 37):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    largest[vi, vu] = T.float32("-inf")
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(n, 37):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(n, 1, 37):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for i, j in T.grid(n, 37):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = powers[vi, vj] / total[vi, 0]

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
        largest = T.alloc_buffer((n, 1))
        powers = T.alloc_buffer((n, 37))
        total = T.alloc_buffer((n, 1))
        total_reciprocal = T.alloc_buffer((n, 1))
        for i, u, k in T.grid(n, 1, 37):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                T.reads(X[vi, vk])
                T.writes(largest[vi, vu])
                with T.init():
                    largest[vi, vu] = T.float32("-inf")
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(n, 37):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj], largest[vi, 0])
                T.writes(powers[vi, vj])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(n, 1, 37):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                T.reads(powers[vi, vk])
                T.writes(total[vi, vu])
                with T.init():
                    total[vi, vu] = T.float32(0.0)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for ax0, ax1 in T.grid(n, 1):
            with T.block("total_reciprocal"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(total[v0, v1])
                T.writes(total_reciprocal[v0, v1])
                total_reciprocal[v0, v1] = T.float32(1.0) / total[v0, v1]
        for i, j in T.grid(n, 37):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(powers[vi, vj], total_reciprocal[vi, 0])
                T.writes(Y[vi, vj])
                Y[vi, vj] = powers[vi, vj] * total_reciprocal[vi, 0]
