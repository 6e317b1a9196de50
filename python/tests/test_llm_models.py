"""Language models in the manner of MLC LLM: exported, built for this processor, and run as an engine runs them."""

import json

import numpy as np
import pytest
from llm_engine import Engine, builtin, random_weights
from llm_llama import LlamaConfig, LlamaForCausalLM
from llm_reference import attention, causal, llama, rope

from tilewright import ir, relax, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn.llm.kv_cache import PagedKVCache


def close(found, expected, tolerance=1e-4):
    """Within a part of the largest logit: sums of float32 in another order."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.fixture(scope="module")
def model():
    config = LlamaConfig()
    module = LlamaForCausalLM(config)
    module.to("float32")
    mod, params = module.export_tvm(module.get_default_spec())
    weights = random_weights(params, config.vocab_size)
    return config, weights, Engine(mod, weights.values())


@pytest.fixture
def engine(model):
    _, _, engine = model
    builtin("kv_state_clear", engine.state)
    return engine


IDS = np.random.default_rng(5).integers(0, 97, 60).tolist()


def test_a_prompt_and_tokens_after_it(model, engine):
    config, weights, _ = model
    expected = llama(config, weights, IDS[:24])
    engine.add(7)
    close(engine.prefill(7, IDS[:20]), expected[19])
    for at in range(20, 24):
        close(engine.decode(7, IDS[at]), expected[at])


def test_prompts_in_one_batch_and_in_chunks(model, engine):
    config, weights, _ = model
    first, second = llama(config, weights, IDS[:33]), llama(config, weights, IDS[30:50])
    engine.add(1, 2)
    close(engine.batch_prefill({1: IDS[:9], 2: IDS[30:47]}), [first[8], second[16]])
    close(engine.batch_prefill({2: IDS[47:49], 1: IDS[9:32]}), [second[18], first[31]])
    close(engine.batch_decode({1: IDS[32], 2: IDS[49]}), [first[32], second[19]])


def test_forks_share_a_prefix(model, engine):
    config, weights, _ = model
    engine.add(0)
    engine.prefill(0, IDS[:21])
    builtin("kv_state_fork_sequence", engine.state, 0, 1, 18)
    builtin("kv_state_fork_sequence", engine.state, 0, 2)
    third = [*IDS[:18], *IDS[40:43]]
    close(engine.batch_prefill({1: third[18:], 2: IDS[21:22]}), [
        llama(config, weights, third)[-1], llama(config, weights, IDS[:22])[-1]
    ])  # fmt: skip
    builtin("kv_state_remove_sequence", engine.state, 0)
    builtin("kv_state_popn", engine.state, 2, 5)
    back = [*IDS[:17], 3]
    close(engine.decode(2, 3), llama(config, weights, back)[-1])


def test_a_draft_of_tokens_is_verified_and_taken_back(model, engine):
    config, weights, _ = model
    expected = llama(config, weights, IDS[:24])
    engine.add(0)
    engine.prefill(0, IDS[:20])
    logits = engine.step("batch_verify", {0: 4}, engine.embed(IDS[20:24])[None])
    close(logits[0], expected[20:])
    builtin("kv_state_popn", engine.state, 0, 3)
    close(engine.decode(0, IDS[21]), expected[21])


def test_a_step_that_is_not_open_is_an_error(engine):
    engine.add(0)
    with pytest.raises(Exception, match="begin_forward"):
        engine.call("prefill", engine.embed(IDS[:3])[None], engine.state)
    engine.begin({0: 3})
    with pytest.raises(Exception, match=r"\[3, 8, 12\]"):
        engine.call("prefill", engine.embed(IDS[:4])[None], engine.state)
    engine.call("prefill", engine.embed(IDS[:3])[None], engine.state)
    engine.end()


def test_the_module_reads_back_and_one_function_creates_the_cache():
    module = LlamaForCausalLM(LlamaConfig(num_hidden_layers=1, tie_word_embeddings=True))
    module.to("float16")
    mod, _ = module.export_tvm(module.get_default_spec())
    from tilewright.script import from_source

    ir.assert_structural_equal(from_source(mod.script(show_meta=True)), mod)
    made = mod["create_paged_kv_cache"]
    assert made.script().count("mlc.create_paged_kv_cache_generic") == 1
    assert relax.analysis.well_formed(mod)


class OwnCache(PagedKVCache):
    """A cache that a program creates itself, by the runtime's function."""

    @staticmethod
    def create_generic(sizes, layers, heads, kv_heads, size, scaling):
        made = relax.call_pure_packed(
            "mlc.create_paged_kv_cache_generic",
            relax.ShapeExpr(sizes),
            relax.ShapeExpr([0, layers]),
            *(relax.PrimValue(own) for own in (layers, heads, kv_heads, size, 1, 1, 10000)),
            relax.StringImm(json.dumps(scaling)),
            relax.const(np.array([1.5] * (size // 2), "float32")) if scaling else relax.PrimValue(0),
            relax.PrimValue(size),
            relax.DataTypeImm("float16"),
            sinfo_args=relax.ObjectStructInfo(),
        )
        return OwnCache(_expr=made, _name="paged_kv_cache")


class Uses(nn.Module):
    def __init__(self, scaling):
        self.scaling = scaling

    def create(self, a: tir.Var, b: tir.Var, c: tir.Var, d: tir.Var, e: tir.Var):
        return OwnCache.create_generic([a, b, c, d, e], 1, 2, 1, 8, self.scaling)

    def run(self, qkv: nn.Tensor, cache: PagedKVCache):
        return cache.attention_with_fused_qkv(0, qkv, 2)


LONGROPE = {"rope_type": "longrope", "max_position_embeddings": 4096, "original_max_position_embeddings": 64}


@pytest.mark.parametrize("scaling", [None, LONGROPE])
def test_a_cache_that_a_program_creates_itself(scaling):
    spec = {
        "create": dict.fromkeys("abcde", int) | {"$": {"param_mode": "none"}},
        "run": {
            "qkv": nn.spec.Tensor([1, "n", 4, 8], "float16"),
            "cache": nn.spec.Object(object_type=OwnCache),
            "$": {"param_mode": "packed"},
        },
    }
    mod, _ = Uses(scaling).export_tvm(spec)
    engine = Engine(mod, [], create="create", sizes=(1, 64, 64, 16, 0))
    qkv = np.random.default_rng(0).standard_normal((1, 40, 4, 8)).astype("float16")
    engine.add(3)
    engine.begin({3: 40})
    found = engine.call("run", qkv, engine.state).numpy()[0]
    engine.end()
    q, k, v = np.split(qkv[0].astype("float64"), [2, 3], 1)
    if scaling:
        q, k = (rope(own, range(40), 1e4, 1e4 ** (-np.arange(4) / 4) / 1.5) for own in (q, k))
        # Both are longer by the square root of 1 + log(4096 / 64) / log(64).
        q, k = q * 2**0.5, k * 2**0.5
    else:
        q, k = (rope(own, range(40), 1e4) for own in (q, k))
    close(found, attention(q, k, v, causal(40)), 2e-3)
