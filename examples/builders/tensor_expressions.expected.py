# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def argmax(x: T.Buffer((8, 16), "float32"), greatest_v0: T.Buffer((8,), "int32"), greatest_v1: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, k in T.grid(8, 16):
            with T.block("greatest"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                T.reads(x[v_i, v_k])
                T.writes(greatest_v0[v_i], greatest_v1[v_i])
                with T.init():
                    greatest_v0[v_i] = -1
                    greatest_v1[v_i] = T.float32(-3.4028235e38)
                v_greatest_v0: T.int32 = T.Select(greatest_v1[v_i] > x[v_i, v_k] or greatest_v1[v_i] == x[v_i, v_k] and greatest_v0[v_i] < v_k, greatest_v0[v_i], v_k)
                v_greatest_v1: T.float32 = T.Select(greatest_v1[v_i] > x[v_i, v_k] or greatest_v1[v_i] == x[v_i, v_k] and greatest_v0[v_i] < v_k, greatest_v1[v_i], x[v_i, v_k])
                greatest_v0[v_i] = v_greatest_v0
                greatest_v1[v_i] = v_greatest_v1

    @T.prim_func
    def dense(var_x: T.handle, w: T.Buffer((32, 64), "float32"), b: T.Buffer((32,), "float32"), var_result: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(64)), "float32")
        result = T.match_buffer(var_result, (n, T.int64(32)), "float32")
        # with T.block("root"):
        product = T.alloc_buffer((n, T.int64(32)))
        for i, j, k in T.grid(n, T.int64(32), 64):
            with T.block("product"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(x[v_i, v_k], w[v_j, v_k])
                T.writes(product[v_i, v_j])
                with T.init():
                    product[v_i, v_j] = T.float32(0.0)
                product[v_i, v_j] = product[v_i, v_j] + x[v_i, v_k] * w[v_j, v_k]
        for i, j in T.grid(n, T.int64(32)):
            with T.block("result"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(product[v_i, v_j], b[v_j])
                T.writes(result[v_i, v_j])
                result[v_i, v_j] = T.max(product[v_i, v_j] + b[v_j], T.float32(0.0))
