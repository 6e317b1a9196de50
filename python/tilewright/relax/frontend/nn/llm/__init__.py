"""Parts of language models: paged caches of keys and values, states of recurrent models, rotary position embedding.

A model creates a state in a method of its own, and takes it as an argument of the others:

    cache = PagedKVCache.create_generic(max_batch_size=…, …)            # once
    out = cache.attention_with_fused_qkv(layer, qkv, num_qo_heads)      # in each layer

Who runs the model adds sequences to the state and says which of them get tokens in a step:
`vm.builtin.kv_state_{add_sequence, remove_sequence, fork_sequence, popn, begin_forward, end_forward}`. The state itself
is the runtime's.
"""

from . import kv_cache, position_embedding, rnn_state
from .kv_cache import PagedKVCache, RopeMode
from .rnn_state import RNNState

__all__ = ["PagedKVCache", "RNNState", "RopeMode", "kv_cache", "position_embedding", "rnn_state"]
