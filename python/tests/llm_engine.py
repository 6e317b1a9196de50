"""What an engine does with a compiled language model: sequences, steps, and the model's functions."""

import numpy as np

import tilewright as tw
from tilewright import relax
from tilewright.runtime import ShapeTuple


def builtin(name, *args):
    return tw.get_global_func(f"vm.builtin.{name}")(*args)


def random_weights(params, vocab_size, seed=0):
    """Values of the weights' shapes and types by name, small enough that activations stay small."""
    rng = np.random.default_rng(seed)

    def values(param):
        shape = [dim if isinstance(dim, int) else vocab_size for dim in param.shape]
        scale = 1.0 if len(shape) == 1 else shape[-1] ** -0.5
        return (rng.standard_normal(shape) * scale + (len(shape) == 1)).astype(param.dtype)

    return {name: values(param) for name, param in params}


class Engine:
    """A model of one state, which is created by the method `create` with `sizes`."""

    def __init__(self, module, weights, create="create_paged_kv_cache", sizes=(4, 256, 64, 16, 0), target="llvm"):
        self.vm = relax.VirtualMachine(relax.build(module, target), tw.cpu())
        self.weights = [tw.nd.array(value) for value in weights]
        self.state = self.vm[create](*(ShapeTuple([size]) for size in sizes)) if create else None

    def call(self, name, *args):
        given = (tw.nd.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args)
        return self.vm[name](*given, self.weights)

    def embed(self, ids):
        return self.call("embed", np.array(ids, "int32")).numpy()

    def add(self, *ids):
        for own in ids:
            builtin("kv_state_add_sequence", self.state, own)

    def begin(self, lengths):
        """Begins a step: tokens of each sequence."""
        builtin("kv_state_begin_forward", self.state, ShapeTuple(list(lengths)), ShapeTuple(list(lengths.values())))

    def end(self):
        builtin("kv_state_end_forward", self.state)

    def step(self, name, lengths, *args):
        """The logits that a method of the model gives in a step."""
        self.begin(lengths)
        logits = self.call(name, *args, self.state)[0].numpy()
        self.end()
        return logits

    def prefill(self, sequence, ids):
        return self.step("prefill", {sequence: len(ids)}, self.embed(ids)[None])[0, -1]

    def decode(self, sequence, token):
        return self.step("decode", {sequence: 1}, self.embed([token])[None])[0, 0]

    def batch_decode(self, tokens):
        """Tokens by sequence."""
        return self.step("batch_decode", dict.fromkeys(tokens, 1), self.embed(list(tokens.values()))[:, None])[:, 0]

    def batch_prefill(self, prompts):
        """Tokens by sequence: the logits after each."""
        lengths = {own: len(ids) for own, ids in prompts.items()}
        last = np.cumsum(list(lengths.values())).astype("int32") - 1
        ids = [own for ids in prompts.values() for own in ids]
        return self.step("batch_prefill", lengths, self.embed(ids)[None], last)[0]
