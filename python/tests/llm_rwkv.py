"""RWKV 6 in NumPy, token by token, as its paper has it (arXiv 2404.05892), by the names of its checkpoints."""

import numpy as np

HIDDEN, SIZE, HEADS, WIDE, MIX, DECAY, LAYERS, VOCAB = 48, 12, 4, 88, 5, 7, 2, 97


def random_tensors(rng):
    """A checkpoint with random weights."""
    shapes = {"rwkv.embeddings.weight": (VOCAB, HIDDEN), "head.weight": (VOCAB, HIDDEN)}
    for name in ["rwkv.ln_out", *(f"rwkv.blocks.{layer}.ln{at}" for layer in range(LAYERS) for at in (1, 2))]:
        shapes |= {f"{name}.weight": (HIDDEN,), f"{name}.bias": (HIDDEN,)}
    shapes |= {"rwkv.blocks.0.pre_ln.weight": (HIDDEN,), "rwkv.blocks.0.pre_ln.bias": (HIDDEN,)}
    for layer in range(LAYERS):
        own = f"rwkv.blocks.{layer}.attention."
        shapes |= {f"{own}time_maa_{part}": (1, 1, HIDDEN) for part in "xwkvrg"}
        shapes |= {f"{own}{part}.weight": (HIDDEN, HIDDEN) for part in ("receptance", "key", "value", "gate", "output")}
        shapes |= {
            own + "time_maa_w1": (HIDDEN, 5 * MIX),
            own + "time_maa_w2": (5, MIX, HIDDEN),
            own + "time_decay": (1, 1, HIDDEN),
            own + "time_decay_w1": (HIDDEN, DECAY),
            own + "time_decay_w2": (DECAY, HIDDEN),
            own + "time_faaaa": (HEADS, SIZE),
            own + "ln_x.weight": (HIDDEN,),
            own + "ln_x.bias": (HIDDEN,),
        }
        own = f"rwkv.blocks.{layer}.feed_forward."
        shapes |= {own + "time_maa_k": (1, 1, HIDDEN), own + "time_maa_r": (1, 1, HIDDEN)}
        shapes |= {own + "key.weight": (WIDE, HIDDEN), own + "receptance.weight": (HIDDEN, HIDDEN)}
        shapes |= {own + "value.weight": (HIDDEN, WIDE)}
    scaled = {name: rng.standard_normal(shape) * shape[-1] ** -0.5 * 1.5 for name, shape in shapes.items()}
    return {name: (own + ("ln" in name and "weight" in name)).astype("float32") for name, own in scaled.items()}


def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean()) / np.sqrt(x.var() + eps) * weight + bias


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def logits(tensors, ids):
    """Logits after each token, in float64."""
    w = {name: values.astype("float64") for name, values in tensors.items()}
    states = [[np.zeros(HIDDEN), np.zeros((HEADS, SIZE, SIZE)), np.zeros(HIDDEN)] for _ in range(LAYERS)]

    def norm(name, x):
        return layer_norm(x, w[name + ".weight"], w[name + ".bias"])

    found = []
    for token in ids:
        x = norm("rwkv.blocks.0.pre_ln", w["rwkv.embeddings.weight"][token])
        for layer, state in enumerate(states):
            own = f"rwkv.blocks.{layer}."
            x = x + attend(w, own + "attention.", norm(own + "ln1", x), state)
            x = x + feed(w, own + "feed_forward.", norm(own + "ln2", x), state)
        found.append(w["head.weight"] @ norm("rwkv.ln_out", x))
    return np.array(found)


def attend(w, own, x, state):
    change, state[0] = state[0] - x, x
    parts = np.tanh((x + change * w[own + "time_maa_x"][0, 0]) @ w[own + "time_maa_w1"]).reshape(5, MIX)
    mixed = {
        part: x + change * (w[f"{own}time_maa_{part}"][0, 0] + parts[at] @ w[own + "time_maa_w2"][at])
        for at, part in enumerate("wkvrg")
    }
    decay = w[own + "time_decay"][0, 0] + np.tanh(mixed["w"] @ w[own + "time_decay_w1"]) @ w[own + "time_decay_w2"]
    decay = np.exp(-np.exp(decay)).reshape(HEADS, SIZE)
    r, k, v = (
        (w[f"{own}{name}.weight"] @ mixed[name[0]]).reshape(HEADS, SIZE) for name in ("receptance", "key", "value")
    )
    gate = w[own + "gate.weight"] @ mixed["g"]
    y = np.zeros((HEADS, SIZE))
    for head in range(HEADS):
        outer = np.outer(k[head], v[head])
        y[head] = r[head] @ (w[own + "time_faaaa"][head][:, None] * outer + state[1][head])
        state[1][head] = decay[head][:, None] * state[1][head] + outer
    y = np.concatenate([layer_norm(row, 1, 0, 64e-5) for row in y])
    y = y * w[own + "ln_x.weight"] + w[own + "ln_x.bias"]
    return w[own + "output.weight"] @ (y * gate * sigmoid(gate))


def feed(w, own, x, state):
    change, state[2] = state[2] - x, x
    key = w[own + "key.weight"] @ (x + change * w[own + "time_maa_k"][0, 0])
    receptance = w[own + "receptance.weight"] @ (x + change * w[own + "time_maa_r"][0, 0])
    return sigmoid(receptance) * (w[own + "value.weight"] @ np.maximum(key, 0) ** 2)
