"""Structures of architectures other than Llama: run as an engine runs them, beside NumPy's results."""

import numpy as np
import pytest
from llm_engine import Engine, builtin, random_weights
from llm_layers import GPT2, GPT2Config, ParallelBlock, TimeMix, WholeSequences
from llm_reference import attention, causal, rope

from tilewright import relax, te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op
from tilewright.relax.frontend.nn.llm import RNNState
from tilewright.relax.frontend.nn.llm.position_embedding import llama_rope
from tilewright.script import tir as T

RNG = np.random.default_rng(3)


def close(found, expected, tolerance=1e-4):
    """Within a part of the greatest number: sums of float32 in another order."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * weight + bias


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu(x):
    from math import erf

    return x / 2 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def made(model, vocab_size=1):
    mod, params = model.export_tvm(model.get_default_spec())
    weights = random_weights(params, vocab_size)
    return Engine(mod, weights.values()), {name: own.astype("float64") for name, own in weights.items()}


def gpt2(config, w, ids):
    tokens, size = len(ids), config.hidden // config.heads
    x = w["wte.weight"][ids] + w["wpe.weight"][:tokens]
    for layer in range(config.layers):
        own = {name.removeprefix(f"h.{layer}."): value for name, value in w.items()}
        qkv = layer_norm(x, own["ln_1.weight"], own["ln_1.bias"]) @ own["c_attn.weight"].T + own["c_attn.bias"]
        q, k, v = np.split(qkv.reshape(tokens, 3 * config.heads, size), 3, 1)
        seen = attention(q, k, v, causal(tokens), size**-0.5 / (layer + 1)).reshape(tokens, -1)
        x = x + seen @ own["c_proj.weight"].T + own["c_proj.bias"]
        up = layer_norm(x, own["ln_2.weight"], own["ln_2.bias"]) @ own["c_fc.weight"].T + own["c_fc.bias"]
        x = x + gelu_tanh(up) @ own["mlp_proj.weight"].T + own["mlp_proj.bias"]
    return layer_norm(x, w["ln_f.weight"], w["ln_f.bias"]) @ w["wte.weight"].T


def test_learned_positions_biases_and_scales_by_layer():
    config = GPT2Config()
    engine, w = made(GPT2(config), config.vocab_size)
    ids = RNG.integers(0, config.vocab_size, 20).tolist()
    engine.add(0, 1)
    expected = gpt2(config, w, ids)
    close(engine.step("batch_verify", {0: 12}, engine.embed(ids[:12])[None])[0], expected[:12])
    both = engine.step("batch_verify", {1: 3, 0: 8}, engine.embed([*ids[:3], *ids[12:]])[None])[0]
    close(both, np.concatenate([expected[:3], expected[12:]]))


def parallel_block(model, w, x, mask, positions=None):
    tokens = len(x)
    qkv = layer_norm(x, w["input_layernorm.weight"], w["input_layernorm.bias"])
    qkv = (qkv @ w["query_key_value.weight"].T + w["query_key_value.bias"]).reshape(tokens, -1, model.size)
    q, k, v = np.split(qkv, [model.heads, model.heads + model.kv_heads], 1)
    r = model.rotary_dim
    q, k = (np.concatenate([rope(own[..., :r], range(tokens), 1e4), own[..., r:]], -1) for own in (q, k))
    seen = attention(q, k, v, mask).reshape(tokens, -1)
    up = layer_norm(x, w["post_attention_layernorm.weight"], w["post_attention_layernorm.bias"])
    up = gelu(up @ w["up.weight"].T + w["up.bias"])
    return x + seen @ w["dense.weight"].T + w["dense.bias"] + up @ w["down.weight"].T + w["down.bias"]


def test_parallel_residuals_and_partly_rotated_heads():
    model = ParallelBlock()
    engine, w = made(model)
    x = RNG.standard_normal((19, 64)).astype("float32")
    engine.add(0)
    expected = parallel_block(model, w, x.astype("float64"), causal(19))
    close(engine.step("batch_verify", {0: 15}, x[None, :15])[0], expected[:15])
    close(engine.step("batch_verify", {0: 4}, x[None, 15:])[0], expected[15:])


@pytest.mark.parametrize("chunk", [1, 7, 40])
def test_a_window_of_tokens(chunk):
    """Without a sink a window is a band of the mask, whatever the chunks are."""
    model = ParallelBlock(rotary_dim=16)
    engine, w = made(model)
    x, window = RNG.standard_normal((40, 64)).astype("float32"), 9
    engine.add(0)
    builtin("attention_kv_cache_enable_sliding_window_for_seq", engine.state, 0, window, 0)
    distance = np.arange(40)[:, None] - np.arange(40)
    expected = parallel_block(model, w, x.astype("float64"), (distance >= 0) & (distance < window))
    steps = [x[None, at : at + chunk] for at in range(0, 40, chunk)]
    found = [engine.step("batch_verify", {0: own.shape[1]}, own)[0] for own in steps]
    close(np.concatenate(found), expected)
    assert builtin("attention_kv_cache_get_total_sequence_length", engine.state) == window


def time_mix(model, w, x):
    for _ in range(model.layers):
        before = np.concatenate([np.zeros_like(x[:1]), x[:-1]])
        keys = (x * w["mix"] + before * (1 - w["mix"])) @ w["key.weight"].T
        out, total = [], np.zeros(model.hidden)
        for key in keys:
            total = key + total * w["decay"]
            out.append(total)
        x = np.array(out)
    return x


def test_recurrent_states_over_chunks_batches_forks_and_steps_back():
    from tilewright.runtime import ShapeTuple

    model = TimeMix()
    mod, params = model.export_tvm(model.get_default_spec())
    rng = np.random.default_rng(0)
    weights = {name: rng.uniform(0.1, 0.6, param.shape).astype("float32") for name, param in params}
    w = {name: own.astype("float64") for name, own in weights.items()}
    engine = Engine(mod, weights.values(), create=None)
    engine.state = engine.vm["create_rnn_state"](ShapeTuple([4]), ShapeTuple([4]))
    x = RNG.standard_normal((2, 12, 12)).astype("float32")
    expected = [time_mix(model, w, own.astype("float64")) for own in x]
    engine.add(0, 1)
    close(engine.step("forward", {0: 5}, x[:1, :5])[0], expected[0][:5])
    close(engine.step("forward", {1: 5}, x[1:, :5])[0], expected[1][:5])
    close(engine.step("forward", {1: 1, 0: 1}, x[::-1, 5:6].copy())[:, 0], [expected[1][5], expected[0][5]])
    builtin("kv_state_fork_sequence", engine.state, 0, 2)
    close(engine.step("forward", {0: 1, 2: 1}, x[[0, 0], 6:7])[:, 0], [expected[0][6]] * 2)
    engine.step("forward", {0: 1}, x[1:, :1])
    builtin("kv_state_popn", engine.state, 0, 1)
    close(engine.step("forward", {0: 5}, x[:1, 7:])[0], expected[0][7:])


@pytest.mark.parametrize(("heads", "kv_heads", "causal_too"), [(4, 4, 0), (4, 2, 0), (6, 2, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_attention_over_whole_sequences(heads, kv_heads, causal_too, dtype):
    spec = {
        "q": nn.spec.Tensor(["b", "s", heads, 16], dtype),
        "k": nn.spec.Tensor(["b", "t", kv_heads, 16], dtype),
        "v": nn.spec.Tensor(["b", "t", kv_heads, 16], dtype),
    }
    model = WholeSequences(heads, kv_heads, 16, causal_too, dtype)
    mod, _ = model.export_tvm({"forward": spec | {"$": MODES}})
    q, k, v = (RNG.standard_normal((2, n, h, 16)).astype(dtype) for n, h in ((5, heads), (9, kv_heads), (9, kv_heads)))
    found, lse = (own.numpy() for own in Engine(mod, [], create=None).call("forward", q, k, v))
    mask = np.arange(9) - 9 <= np.arange(5)[:, None] - 5 if causal_too else np.ones((5, 9), bool)
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    for at in range(2):
        own = [part[at].astype("float64") for part in (q, k, v)]
        close(found[at], attention(*own, mask), tolerance)
        scores = np.einsum("qhd,khd->qhk", own[0], np.repeat(own[1], heads // kv_heads, 1)) / 4
        scores = np.where(mask[:, None], scores, -np.inf)
        close(lse[at], np.log2(np.exp(scores).sum(-1)), tolerance)


MODES = {"param_mode": "packed", "effect_mode": "none"}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip


def frequencies(scaling, half, theta=1e4):
    plain = theta ** (-np.arange(half) / half)
    if not scaling:
        return plain
    if scaling["rope_type"] == "linear":
        return plain / scaling["factor"]
    kept = (scaling["original_max_position_embeddings"] * plain / (2 * np.pi) - scaling["low_freq_factor"]) / (
        scaling["high_freq_factor"] - scaling["low_freq_factor"]
    )
    kept = np.clip(kept, 0, 1)
    return plain * kept + plain / scaling["factor"] * (1 - kept)


@pytest.mark.parametrize("scaling", [None, {"rope_type": "linear", "factor": 4.0}, LLAMA3])
def test_models_that_rotate_queries_and_keys_themselves(scaling):
    class Rotated(nn.Module):
        def forward(self, qkv: nn.Tensor, total: int):
            return llama_rope(qkv, total, 1e4, 4, 2, rotary_dim=8, rope_scaling=scaling)

    mod, _ = Rotated().export_tvm({"forward": {"qkv": nn.spec.Tensor([1, "n", 8, 12], "float32"), "total": int}})
    from tilewright.runtime import ShapeTuple

    qkv = RNG.standard_normal((1, 6, 8, 12)).astype("float32")
    engine = Engine(mod, [], create=None)
    found = [own.numpy()[0] for own in engine.vm["forward"](engine_array(qkv), ShapeTuple([30]))]
    own = frequencies(scaling, 4)
    turn = [
        np.concatenate([rope(part[..., :8], range(24, 30), 1e4, own), part[..., 8:]], -1)
        for part in (qkv[0, :, :4], qkv[0, :, 4:6])
    ]
    for part, expected in zip(found, [*turn, qkv[0, :, 6:]], strict=True):
        close(part, expected, 1e-5)


def engine_array(value):
    import tilewright as tw

    return tw.nd.array(value)


class Accessed(RNNState):
    """A state that a program creates with functions of its own for reading and writing; the runtime has its own."""

    @staticmethod
    def create(max_batch_size, layers, max_history, values):
        bb = relax.BlockBuilder.current()

        def copies(shape, dtype, name):
            @T.prim_func
            def copy(var_kept: T.handle, var_slots: T.handle, var_out: T.handle):
                batch_size = T.SizeVar("batch_size", "int32")
                T.func_attr({"global_symbol": name})
                kept = T.match_buffer(var_kept, (max_batch_size, max_history, *shape), dtype)
                slots = T.match_buffer(var_slots, (batch_size,), "int32")
                out = T.match_buffer(var_out, (batch_size, *shape), dtype)
                for i, *s in T.grid(batch_size, *shape):
                    with T.block("copy"):
                        vi, *vs = T.axis.remap("S" * (len(shape) + 1), [i, *s])
                        slot: T.int32 = slots[vi]
                        out[vi, *vs] = kept[slot, 0, *vs]

            return bb.add_func(copy, name)

        read = [copies(own.shape, own.dtype, f"state_get_{at}") for at, own in enumerate(values)]
        write = [copies(own.shape, own.dtype, f"state_set_{at}") for at, own in enumerate(values)]
        sizes = map(relax.PrimValue, (layers, max_batch_size, max_history))
        made = relax.call_pure_packed(
            "vm.builtin.rnn_state_create", *sizes, read, write, [own._expr for own in values],
            sinfo_args=[relax.ObjectStructInfo()],
        )  # fmt: skip
        return Accessed(_expr=made, _name="state")


class Sums(nn.Module):
    """Sums over all tokens of a sequence, in two states of different rank."""

    def create_rnn_state(self, max_batch_size: tir.Var, max_history: tir.Var):
        return Accessed.create(max_batch_size, 1, max_history, [op.zeros((3,), "float32"), op.zeros((2, 3), "float32")])

    def forward(self, x: nn.Tensor, state: RNNState):
        batch = x.shape[0]
        total = state.get(0, 0, (batch, 3), "float32") + op.sum(x, axis=1)
        twice = state.get(0, 1, (batch, 2, 3), "float32") + op.reshape(total, (batch, 1, 3))
        return twice, state.set(0, 0, total).set(0, 1, twice)


def test_a_state_is_created_with_functions_of_the_program():
    spec = {
        "create_rnn_state": {"max_batch_size": int, "max_history": int, "$": {"param_mode": "none"}},
        "forward": {"x": nn.spec.Tensor(["b", "t", 3], "float32"), "state": nn.spec.Object(RNNState), "$": MODES},
    }
    mod, _ = Sums().export_tvm(spec)
    engine = Engine(mod, [], create="create_rnn_state", sizes=(4, 2))
    engine.add(5, 9)
    x = np.random.default_rng(0).integers(-5, 5, (2, 4, 3)).astype("float32")
    for _ in range(2):
        engine.begin({5: 4, 9: 4})
        found = engine.call("forward", x, engine.state)[0].numpy()
        engine.end()
    sums = x.sum(1)
    np.testing.assert_array_equal(found, np.repeat((3 * sums)[:, None], 2, 1))


class Masked(nn.Module):
    """An encoder's attention: a mask of tensor expressions over numbers and sizes, scores cut off by it."""

    def encode(self, x: nn.Tensor, mask: nn.Tensor):
        batch, length, _ = x.shape

        def both(mask, none, batch, length):
            least, most = tir.min_value("float32"), tir.max_value("float32")
            absent = lambda b, i, j: tir.any(mask[b, i] == none, mask[b, j] == none)  # noqa: E731
            shape = (batch, 1, length, length)
            return te.compute(shape, lambda b, _, i, j: tir.if_then_else(absent(b, i, j), least, most), "both")

        allowed = op.tensor_expr_op(both, "both", [mask, tir.IntImm("int32", 0), batch, length])
        heads = op.reshape(x, (batch, length, 2, 4)).permute_dims(0, 2, 1, 3)
        keys = heads.repeat(2, axis=1)
        scores = op.matmul(keys, keys.permute_dims(0, 1, 3, 2)) / 2.0
        scores = scores.maximum(tir.min_value("float32")).minimum(allowed)
        out = op.matmul(op.softmax(scores, axis=-1), keys)
        return out.permute_dims(0, 2, 1, 3).reshape(batch, length, 16)


def test_an_encoder_masks_scores():
    ids = {"x": nn.spec.Tensor(["b", "n", 8], "float32"), "mask": nn.spec.Tensor(["b", "n"], "int32")}
    mod, _ = Masked().export_tvm({"encode": ids | {"$": MODES}})
    rng = np.random.default_rng(2)
    x, mask = rng.standard_normal((2, 5, 8)).astype("float32"), np.array([[1, 1, 1, 0, 0], [1] * 5], "int32")
    found = Engine(mod, [], create=None).call("encode", x, mask).numpy()
    keys = x.astype("float64").reshape(2, 5, 2, 4).transpose(0, 2, 1, 3).repeat(2, 1)
    seen = (mask[:, None, :, None] * mask[:, None, None, :]) != 0
    scores = np.where(seen, keys @ keys.transpose(0, 1, 3, 2) / 2, np.finfo("float32").min)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = (weights / weights.sum(-1, keepdims=True)) @ keys
    close(found, expected.transpose(0, 2, 1, 3).reshape(2, 5, 16))
