# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def causal(var_divide: T.handle, var_causal: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        new = T.int64()
        total = T.int64()
        divide = T.match_buffer(var_divide, (T.int64(1), T.int64(4), new, total))
        causal = T.match_buffer(var_causal, (T.int64(1), T.int64(4), new, total))
        # with T.block("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), new, total):
            with T.block("causal"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(divide[v_i0, v_i1, v_i2, v_i3])
                T.writes(causal[v_i0, v_i1, v_i2, v_i3])
                causal[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(v_i3 <= v_i2 + (total - new), divide[v_i0, v_i1, v_i2, v_i3], T.float32("-inf"))

    @T.prim_func(private=True)
    def rotary(var_reshape2: T.handle, var_rotary: T.handle, total: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        new = T.int64()
        reshape2 = T.match_buffer(var_reshape2, (T.int64(1), new, T.int64(4), T.int64(8)))
        rotary = T.match_buffer(var_rotary, (T.int64(1), new, T.int64(4), T.int64(8)))
        # with T.block("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), new, T.int64(4), T.int64(8)):
            with T.block("rotary"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(reshape2[v_i0, v_i1, v_i2, v_i3 - T.int64(4):v_i3 - T.int64(4) + T.int64(9)])
                T.writes(rotary[v_i0, v_i1, v_i2, v_i3])
                rotary[v_i0, v_i1, v_i2, v_i3] = T.cos(T.Cast("float32", total - new + v_i1) * T.exp(T.Cast("float32", v_i3 % T.int64(4)) * T.float32(-2.3025851))) * reshape2[v_i0, v_i1, v_i2, v_i3] + T.sin(T.Cast("float32", total - new + v_i1) * T.exp(T.Cast("float32", v_i3 % T.int64(4)) * T.float32(-2.3025851))) * T.if_then_else(v_i3 < T.int64(4), reshape2[v_i0, v_i1, v_i2, v_i3 + T.int64(4)] * T.float32(-1.0), reshape2[v_i0, v_i1, v_i2, v_i3 - T.int64(4)])

    @T.prim_func(private=True)
    def rotary1(var_reshape3: T.handle, var_rotary: T.handle, total: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        new = T.int64()
        reshape3 = T.match_buffer(var_reshape3, (T.int64(1), new, T.int64(2), T.int64(8)))
        rotary = T.match_buffer(var_rotary, (T.int64(1), new, T.int64(2), T.int64(8)))
        # with T.block("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), new, T.int64(2), T.int64(8)):
            with T.block("rotary"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(reshape3[v_i0, v_i1, v_i2, v_i3 - T.int64(4):v_i3 - T.int64(4) + T.int64(9)])
                T.writes(rotary[v_i0, v_i1, v_i2, v_i3])
                rotary[v_i0, v_i1, v_i2, v_i3] = T.cos(T.Cast("float32", total - new + v_i1) * T.exp(T.Cast("float32", v_i3 % T.int64(4)) * T.float32(-2.3025851))) * reshape3[v_i0, v_i1, v_i2, v_i3] + T.sin(T.Cast("float32", total - new + v_i1) * T.exp(T.Cast("float32", v_i3 % T.int64(4)) * T.float32(-2.3025851))) * T.if_then_else(v_i3 < T.int64(4), reshape3[v_i0, v_i1, v_i2, v_i3 + T.int64(4)] * T.float32(-1.0), reshape3[v_i0, v_i1, v_i2, v_i3 - T.int64(4)])

    @R.function
    def _initialize_effect() -> R.Tuple(R.Object, R.Object, R.Object, R.Object):
        with R.dataflow():
            lv: R.Tensor((4, 2, 8), dtype="float32") = R.zeros(R.shape([4, 2, 8]), dtype="float32")
            blocks_0_attention_k_cache: R.Object = R.call_pure_packed("vm.builtin.attention_kv_cache_create", lv, R.shape([4, 2, 8]), R.prim_value(0), sinfo_args=(R.Object,))
            lv1: R.Tensor((4, 2, 8), dtype="float32") = R.zeros(R.shape([4, 2, 8]), dtype="float32")
            blocks_0_attention_v_cache: R.Object = R.call_pure_packed("vm.builtin.attention_kv_cache_create", lv1, R.shape([4, 2, 8]), R.prim_value(0), sinfo_args=(R.Object,))
            lv2: R.Tensor((4, 2, 8), dtype="float32") = R.zeros(R.shape([4, 2, 8]), dtype="float32")
            blocks_1_attention_k_cache: R.Object = R.call_pure_packed("vm.builtin.attention_kv_cache_create", lv2, R.shape([4, 2, 8]), R.prim_value(0), sinfo_args=(R.Object,))
            lv3: R.Tensor((4, 2, 8), dtype="float32") = R.zeros(R.shape([4, 2, 8]), dtype="float32")
            blocks_1_attention_v_cache: R.Object = R.call_pure_packed("vm.builtin.attention_kv_cache_create", lv3, R.shape([4, 2, 8]), R.prim_value(0), sinfo_args=(R.Object,))
            gv: R.Tuple(R.Object, R.Object, R.Object, R.Object) = (blocks_0_attention_k_cache, blocks_0_attention_v_cache, blocks_1_attention_k_cache, blocks_1_attention_v_cache)
            R.output(gv)
        return gv

    @R.function
    def forward(tokens: R.Tensor((1, "new"), dtype="int32"), total: R.Shape(["total_1"]), blocks_0_attention_k_cache: R.Object, blocks_0_attention_v_cache: R.Object, blocks_1_attention_k_cache: R.Object, blocks_1_attention_v_cache: R.Object, embedding_weight: R.Tensor((50, 32), dtype="float32"), blocks_0_attention_q_weight: R.Tensor((32, 32), dtype="float32"), blocks_0_attention_k_weight: R.Tensor((16, 32), dtype="float32"), blocks_0_attention_v_weight: R.Tensor((16, 32), dtype="float32"), blocks_0_attention_o_weight: R.Tensor((32, 32), dtype="float32"), blocks_0_mlp_gate_up_weight: R.Tensor((96, 32), dtype="float32"), blocks_0_mlp_down_weight: R.Tensor((32, 48), dtype="float32"), blocks_0_attention_norm_weight: R.Tensor((32,), dtype="float32"), blocks_0_mlp_norm_weight: R.Tensor((32,), dtype="float32"), blocks_1_attention_q_weight: R.Tensor((32, 32), dtype="float32"), blocks_1_attention_k_weight: R.Tensor((16, 32), dtype="float32"), blocks_1_attention_v_weight: R.Tensor((16, 32), dtype="float32"), blocks_1_attention_o_weight: R.Tensor((32, 32), dtype="float32"), blocks_1_mlp_gate_up_weight: R.Tensor((96, 32), dtype="float32"), blocks_1_mlp_down_weight: R.Tensor((32, 48), dtype="float32"), blocks_1_attention_norm_weight: R.Tensor((32,), dtype="float32"), blocks_1_mlp_norm_weight: R.Tensor((32,), dtype="float32"), norm_weight: R.Tensor((32,), dtype="float32"), head_weight: R.Tensor((50, 32), dtype="float32")) -> R.Tuple(R.Tensor((1, "new", 50), dtype="float32"), R.Tuple(R.Object, R.Object, R.Object, R.Object)):
        new = T.int64()
        total_1 = T.int64()
        R.func_attr({"num_input": 6})
        cls = Module
        with R.dataflow():
            reshape: R.Tensor((new,), dtype="int32") = R.reshape(tokens, R.shape([new]))
            take: R.Tensor((new, 32), dtype="float32") = R.take(embedding_weight, reshape, axis=0, mode="fast")
            reshape1: R.Tensor((1, new, 32), dtype="float32") = R.reshape(take, R.shape([1, new, 32]))
            rms_norm: R.Tensor((1, new, 32), dtype="float32") = R.nn.rms_norm(reshape1, blocks_0_attention_norm_weight, axes=[-1], epsilon=1e-5)
            permute_dims: R.Tensor((32, 32), dtype="float32") = R.permute_dims(blocks_0_attention_q_weight, axes=None)
            matmul: R.Tensor((1, new, 32), dtype="float32") = R.matmul(rms_norm, permute_dims, out_dtype="void")
            reshape2: R.Tensor((1, new, 4, 8), dtype="float32") = R.reshape(matmul, R.shape([1, new, 4, 8]))
            rotary = R.call_tir(cls.rotary, (reshape2,), out_sinfo=R.Tensor((1, new, 4, 8), dtype="float32"), tir_vars=R.shape([total_1]))
            permute_dims1: R.Tensor((32, 16), dtype="float32") = R.permute_dims(blocks_0_attention_k_weight, axes=None)
            matmul1: R.Tensor((1, new, 16), dtype="float32") = R.matmul(rms_norm, permute_dims1, out_dtype="void")
            reshape3: R.Tensor((1, new, 2, 8), dtype="float32") = R.reshape(matmul1, R.shape([1, new, 2, 8]))
            rotary1 = R.call_tir(cls.rotary1, (reshape3,), out_sinfo=R.Tensor((1, new, 2, 8), dtype="float32"), tir_vars=R.shape([total_1]))
            permute_dims2: R.Tensor((32, 16), dtype="float32") = R.permute_dims(blocks_0_attention_v_weight, axes=None)
            matmul2: R.Tensor((1, new, 16), dtype="float32") = R.matmul(rms_norm, permute_dims2, out_dtype="void")
            reshape4: R.Tensor((1, new, 2, 8), dtype="float32") = R.reshape(matmul2, R.shape([1, new, 2, 8]))
            squeeze: R.Tensor((new, 2, 8), dtype="float32") = R.squeeze(rotary1, axis=[0])
            blocks_0_attention_k_cache1: R.Object = R.call_inplace_packed("vm.builtin.attention_kv_cache_append", blocks_0_attention_k_cache, squeeze, inplace_indices=[0], sinfo_args=(R.Object,))
            squeeze1: R.Tensor((new, 2, 8), dtype="float32") = R.squeeze(reshape4, axis=[0])
            blocks_0_attention_v_cache1: R.Object = R.call_inplace_packed("vm.builtin.attention_kv_cache_append", blocks_0_attention_v_cache, squeeze1, inplace_indices=[0], sinfo_args=(R.Object,))
            blocks_0_attention_k_cache_view: R.Tensor((total_1, 2, 8), dtype="float32") = R.call_pure_packed("vm.builtin.attention_kv_cache_view", blocks_0_attention_k_cache1, R.shape([total_1, 2, 8]), sinfo_args=(R.Tensor((total_1, 2, 8), dtype="float32"),))
            unsqueeze: R.Tensor((1, total_1, 2, 8), dtype="float32") = R.expand_dims(blocks_0_attention_k_cache_view, axis=[0])
            repeat: R.Tensor((1, total_1, 4, 8), dtype="float32") = R.repeat(unsqueeze, repeats=2, axis=2)
            blocks_0_attention_v_cache_view: R.Tensor((total_1, 2, 8), dtype="float32") = R.call_pure_packed("vm.builtin.attention_kv_cache_view", blocks_0_attention_v_cache1, R.shape([total_1, 2, 8]), sinfo_args=(R.Tensor((total_1, 2, 8), dtype="float32"),))
            unsqueeze1: R.Tensor((1, total_1, 2, 8), dtype="float32") = R.expand_dims(blocks_0_attention_v_cache_view, axis=[0])
            repeat1: R.Tensor((1, total_1, 4, 8), dtype="float32") = R.repeat(unsqueeze1, repeats=2, axis=2)
            permute_dims3: R.Tensor((1, 4, new, 8), dtype="float32") = R.permute_dims(rotary, axes=[0, 2, 1, 3])
            permute_dims4: R.Tensor((1, 4, 8, total_1), dtype="float32") = R.permute_dims(repeat, axes=[0, 2, 3, 1])
            matmul3: R.Tensor((1, 4, new, total_1), dtype="float32") = R.matmul(permute_dims3, permute_dims4, out_dtype="void")
            divide: R.Tensor((1, 4, new, total_1), dtype="float32") = R.divide(matmul3, R.const(2.828427, "float32"))
            causal = R.call_tir(cls.causal, (divide,), out_sinfo=R.Tensor((1, 4, new, total_1), dtype="float32"))
            softmax: R.Tensor((1, 4, new, total_1), dtype="float32") = R.nn.softmax(causal, axis=-1)
            permute_dims5: R.Tensor((1, 4, total_1, 8), dtype="float32") = R.permute_dims(repeat1, axes=[0, 2, 1, 3])
            matmul4: R.Tensor((1, 4, new, 8), dtype="float32") = R.matmul(softmax, permute_dims5, out_dtype="void")
            permute_dims6: R.Tensor((1, new, 4, 8), dtype="float32") = R.permute_dims(matmul4, axes=[0, 2, 1, 3])
            reshape5: R.Tensor((1, new, 32), dtype="float32") = R.reshape(permute_dims6, R.shape([1, new, 32]))
            permute_dims7: R.Tensor((32, 32), dtype="float32") = R.permute_dims(blocks_0_attention_o_weight, axes=None)
            matmul5: R.Tensor((1, new, 32), dtype="float32") = R.matmul(reshape5, permute_dims7, out_dtype="void")
            add: R.Tensor((1, new, 32), dtype="float32") = R.add(reshape1, matmul5)
            rms_norm1: R.Tensor((1, new, 32), dtype="float32") = R.nn.rms_norm(add, blocks_0_mlp_norm_weight, axes=[-1], epsilon=1e-5)
            permute_dims8: R.Tensor((32, 96), dtype="float32") = R.permute_dims(blocks_0_mlp_gate_up_weight, axes=None)
            matmul6: R.Tensor((1, new, 96), dtype="float32") = R.matmul(rms_norm1, permute_dims8, out_dtype="void")
            split: R.Tuple(R.Tensor((1, new, 48), dtype="float32"), R.Tensor((1, new, 48), dtype="float32")) = R.split(matmul6, indices_or_sections=2, axis=-1)
            split_0: R.Tensor((1, new, 48), dtype="float32") = split[0]
            split_1: R.Tensor((1, new, 48), dtype="float32") = split[1]
            silu: R.Tensor((1, new, 48), dtype="float32") = R.nn.silu(split_0)
            mul: R.Tensor((1, new, 48), dtype="float32") = R.multiply(silu, split_1)
            permute_dims9: R.Tensor((48, 32), dtype="float32") = R.permute_dims(blocks_0_mlp_down_weight, axes=None)
            matmul7: R.Tensor((1, new, 32), dtype="float32") = R.matmul(mul, permute_dims9, out_dtype="void")
            add1: R.Tensor((1, new, 32), dtype="float32") = R.add(add, matmul7)
            rms_norm2: R.Tensor((1, new, 32), dtype="float32") = R.nn.rms_norm(add1, blocks_1_attention_norm_weight, axes=[-1], epsilon=1e-5)
            permute_dims10: R.Tensor((32, 32), dtype="float32") = R.permute_dims(blocks_1_attention_q_weight, axes=None)
            matmul8: R.Tensor((1, new, 32), dtype="float32") = R.matmul(rms_norm2, permute_dims10, out_dtype="void")
            reshape6: R.Tensor((1, new, 4, 8), dtype="float32") = R.reshape(matmul8, R.shape([1, new, 4, 8]))
            rotary2 = R.call_tir(cls.rotary, (reshape6,), out_sinfo=R.Tensor((1, new, 4, 8), dtype="float32"), tir_vars=R.shape([total_1]))
            permute_dims11: R.Tensor((32, 16), dtype="float32") = R.permute_dims(blocks_1_attention_k_weight, axes=None)
            matmul9: R.Tensor((1, new, 16), dtype="float32") = R.matmul(rms_norm2, permute_dims11, out_dtype="void")
            reshape7: R.Tensor((1, new, 2, 8), dtype="float32") = R.reshape(matmul9, R.shape([1, new, 2, 8]))
            rotary3 = R.call_tir(cls.rotary1, (reshape7,), out_sinfo=R.Tensor((1, new, 2, 8), dtype="float32"), tir_vars=R.shape([total_1]))
            permute_dims12: R.Tensor((32, 16), dtype="float32") = R.permute_dims(blocks_1_attention_v_weight, axes=None)
            matmul10: R.Tensor((1, new, 16), dtype="float32") = R.matmul(rms_norm2, permute_dims12, out_dtype="void")
            reshape8: R.Tensor((1, new, 2, 8), dtype="float32") = R.reshape(matmul10, R.shape([1, new, 2, 8]))
            squeeze2: R.Tensor((new, 2, 8), dtype="float32") = R.squeeze(rotary3, axis=[0])
            blocks_1_attention_k_cache1: R.Object = R.call_inplace_packed("vm.builtin.attention_kv_cache_append", blocks_1_attention_k_cache, squeeze2, inplace_indices=[0], sinfo_args=(R.Object,))
            squeeze3: R.Tensor((new, 2, 8), dtype="float32") = R.squeeze(reshape8, axis=[0])
            blocks_1_attention_v_cache1: R.Object = R.call_inplace_packed("vm.builtin.attention_kv_cache_append", blocks_1_attention_v_cache, squeeze3, inplace_indices=[0], sinfo_args=(R.Object,))
            blocks_1_attention_k_cache_view: R.Tensor((total_1, 2, 8), dtype="float32") = R.call_pure_packed("vm.builtin.attention_kv_cache_view", blocks_1_attention_k_cache1, R.shape([total_1, 2, 8]), sinfo_args=(R.Tensor((total_1, 2, 8), dtype="float32"),))
            unsqueeze2: R.Tensor((1, total_1, 2, 8), dtype="float32") = R.expand_dims(blocks_1_attention_k_cache_view, axis=[0])
            repeat2: R.Tensor((1, total_1, 4, 8), dtype="float32") = R.repeat(unsqueeze2, repeats=2, axis=2)
            blocks_1_attention_v_cache_view: R.Tensor((total_1, 2, 8), dtype="float32") = R.call_pure_packed("vm.builtin.attention_kv_cache_view", blocks_1_attention_v_cache1, R.shape([total_1, 2, 8]), sinfo_args=(R.Tensor((total_1, 2, 8), dtype="float32"),))
            unsqueeze3: R.Tensor((1, total_1, 2, 8), dtype="float32") = R.expand_dims(blocks_1_attention_v_cache_view, axis=[0])
            repeat3: R.Tensor((1, total_1, 4, 8), dtype="float32") = R.repeat(unsqueeze3, repeats=2, axis=2)
            permute_dims13: R.Tensor((1, 4, new, 8), dtype="float32") = R.permute_dims(rotary2, axes=[0, 2, 1, 3])
            permute_dims14: R.Tensor((1, 4, 8, total_1), dtype="float32") = R.permute_dims(repeat2, axes=[0, 2, 3, 1])
            matmul11: R.Tensor((1, 4, new, total_1), dtype="float32") = R.matmul(permute_dims13, permute_dims14, out_dtype="void")
            divide1: R.Tensor((1, 4, new, total_1), dtype="float32") = R.divide(matmul11, R.const(2.828427, "float32"))
            causal1 = R.call_tir(cls.causal, (divide1,), out_sinfo=R.Tensor((1, 4, new, total_1), dtype="float32"))
            softmax1: R.Tensor((1, 4, new, total_1), dtype="float32") = R.nn.softmax(causal1, axis=-1)
            permute_dims15: R.Tensor((1, 4, total_1, 8), dtype="float32") = R.permute_dims(repeat3, axes=[0, 2, 1, 3])
            matmul12: R.Tensor((1, 4, new, 8), dtype="float32") = R.matmul(softmax1, permute_dims15, out_dtype="void")
            permute_dims16: R.Tensor((1, new, 4, 8), dtype="float32") = R.permute_dims(matmul12, axes=[0, 2, 1, 3])
            reshape9: R.Tensor((1, new, 32), dtype="float32") = R.reshape(permute_dims16, R.shape([1, new, 32]))
            permute_dims17: R.Tensor((32, 32), dtype="float32") = R.permute_dims(blocks_1_attention_o_weight, axes=None)
            matmul13: R.Tensor((1, new, 32), dtype="float32") = R.matmul(reshape9, permute_dims17, out_dtype="void")
            add2: R.Tensor((1, new, 32), dtype="float32") = R.add(add1, matmul13)
            rms_norm3: R.Tensor((1, new, 32), dtype="float32") = R.nn.rms_norm(add2, blocks_1_mlp_norm_weight, axes=[-1], epsilon=1e-5)
            permute_dims18: R.Tensor((32, 96), dtype="float32") = R.permute_dims(blocks_1_mlp_gate_up_weight, axes=None)
            matmul14: R.Tensor((1, new, 96), dtype="float32") = R.matmul(rms_norm3, permute_dims18, out_dtype="void")
            split1: R.Tuple(R.Tensor((1, new, 48), dtype="float32"), R.Tensor((1, new, 48), dtype="float32")) = R.split(matmul14, indices_or_sections=2, axis=-1)
            split_01: R.Tensor((1, new, 48), dtype="float32") = split1[0]
            split_11: R.Tensor((1, new, 48), dtype="float32") = split1[1]
            silu1: R.Tensor((1, new, 48), dtype="float32") = R.nn.silu(split_01)
            mul1: R.Tensor((1, new, 48), dtype="float32") = R.multiply(silu1, split_11)
            permute_dims19: R.Tensor((48, 32), dtype="float32") = R.permute_dims(blocks_1_mlp_down_weight, axes=None)
            matmul15: R.Tensor((1, new, 32), dtype="float32") = R.matmul(mul1, permute_dims19, out_dtype="void")
            add3: R.Tensor((1, new, 32), dtype="float32") = R.add(add2, matmul15)
            rms_norm4: R.Tensor((1, new, 32), dtype="float32") = R.nn.rms_norm(add3, norm_weight, axes=[-1], epsilon=1e-5)
            permute_dims20: R.Tensor((32, 50), dtype="float32") = R.permute_dims(head_weight, axes=None)
            matmul16: R.Tensor((1, new, 50), dtype="float32") = R.matmul(rms_norm4, permute_dims20, out_dtype="void")
            gv: R.Tuple(R.Tensor((1, new, 50), dtype="float32"), R.Tuple(R.Object, R.Object, R.Object, R.Object)) = (matmul16, (blocks_0_attention_k_cache1, blocks_0_attention_v_cache1, blocks_1_attention_k_cache1, blocks_1_attention_v_cache1))
            R.output(gv)
        return gv
