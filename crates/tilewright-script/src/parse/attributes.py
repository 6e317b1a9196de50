# Attributes of modules, functions, loops and blocks, with values of every sort.
# test: print
# run: main n=3 == same
# run: flops == same

@I.ir_module
class Module:
    I.module_attrs({"nothing": None, "yes": True, "no": T.bool(False), "count": 3, "half": 0.5, "infinite": float("inf"), "text": "a \"quoted\" text", "type": T.dtype("int8"), "list": [1, "two", [3.0]], "dict": {"a": 1, "b": {}}, "scalar": T.int64(3)})

    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True, "target": T.target({"kind": "llvm"}), "op_pattern": 0, "map": T.index_map(lambda i, j: (j, i))})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in T.serial(n, annotations={"unroll": False, "names": ["x", "y"]}):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                T.block_attr({"tiles": [4, 8], "scale": 0.25, "type": T.dtype("float16")})
                B[vi] = A[vi] * 2.0

    @T.prim_func
    def flops(A: T.Buffer((2,), "float32")):
        T.func_attr({"global_symbol": "another_name", "estimated_flops": 2})
        for i in range(2):
            A[i] = A[i] + 1.0

    @R.function(private=True)
    def part(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        R.func_attr({"Primitive": 1, "Composite": "add.relu"})
        y = R.add(x, x)
        z = R.nn.relu(y)
        return z

    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        R.func_attr({"num_input": 1, "tir_var_upper_bound": {"n": 8}, "relax.force_pure": True})
        cls = Module
        y = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((n,), "float32"))
        z = cls.part(y)
        _ = R.print(z)
        return z

    @R.function
    def elsewhere(x: R.Tensor((2,), "float32")):
        R.func_attr({"Codegen": "other", "global_symbol": "elsewhere_symbol"})
        y = R.negative(x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"count": 3, "dict": {"a": 1, "b": {}}, "half": 0.5, "infinite": float("inf"), "list": [1, "two", [3.0]], "no": False, "nothing": None, "scalar": T.int64(3), "text": "a \"quoted\" text", "type": T.dtype("int8"), "yes": True})

    @T.prim_func
    def flops(A: T.Buffer((2,), "float32")):
        T.func_attr({"estimated_flops": 2, "global_symbol": "another_name"})
        for i in range(2):
            A[i] = A[i] + T.float32(1.0)

    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        T.func_attr({"map": T.index_map(lambda i, j: (j, i)), "op_pattern": 0, "target": "llvm", "tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        # with T.block("root"):
        for i in T.serial(n, annotations={"names": ["x", "y"], "unroll": T.bool(False)}):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi])
                T.writes(B[vi])
                T.block_attr({"scale": 0.25, "tiles": [4, 8], "type": T.dtype("float16")})
                B[vi] = A[vi] * T.float32(2.0)

    @R.function
    def elsewhere(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"Codegen": "other", "global_symbol": "elsewhere_symbol"})
        y: R.Tensor((2,), dtype="float32") = R.negative(x)
        return y

    @R.function(force_pure=True)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"num_input": 1, "relax.force_pure": True, "tir_var_upper_bound": {"n": 8}})
        cls = Module
        y = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        z: R.Tensor((n,), dtype="float32") = cls.part(y)
        _: R.Tuple() = R.print(z, format="")
        return z

    @R.function(private=True)
    def part(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"Composite": "add.relu", "Primitive": 1})
        y: R.Tensor((n,), dtype="float32") = R.add(x, x)
        z: R.Tensor((n,), dtype="float32") = R.nn.relu(y)
        return z
