"""Language models in the manner of MLC LLM: exported, built for this processor, and run as an engine runs them."""

import numpy as np
import pytest
from llm_engine import Engine, builtin, random_weights
from llm_llama import LlamaConfig, LlamaForCausalLM
from llm_reference import llama

from tilewright import ir, relax


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
