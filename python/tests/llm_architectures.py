"""Small models of `transformers` with random weights, which judge the architectures of `tilewright.llm`."""

import json

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file, save_file

SIZES = {
    "vocab_size": 97,
    "hidden_size": 48,
    "intermediate_size": 88,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


#: What GPT-2 and its relatives take.
GPT_SIZES = {"vocab_size": 97, "n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 64, "n_inner": 72}


def saved(folder, kind, sizes=SIZES, **settings):
    """A model of `transformers` by its `model_type`, saved to a folder."""
    torch.manual_seed(3)
    config_class = transformers.models.auto.configuration_auto.CONFIG_MAPPING[kind]
    config = config_class(**{**sizes, **settings})
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, param in model.named_parameters():
            noise = torch.randn(param.shape, generator=generator)
            if param.dim() > 1 and "norm" not in name:
                param.copy_(noise * param.shape[-1] ** -0.5 * 1.5)
            else:
                param.add_(noise * 0.2)
        for name, buffer in model.named_buffers():
            if "correction" in name:
                buffer.add_(torch.randn(buffer.shape, generator=generator) * 0.2)
    model.eval()
    model.save_pretrained(folder)
    return model


def rewritten(folder, **settings):
    """Changes settings in a saved `config.json`; None takes one out."""
    file = folder / "config.json"
    values = {**json.loads(file.read_text()), **settings}
    file.write_text(json.dumps({name: value for name, value in values.items() if value is not None}))


def logits_of(model, ids):
    """Logits after each token of a sequence, `[tokens, vocab_size]`."""
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].numpy()


def worst(found, expected):
    """The greatest difference as a part of the greatest logit."""
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def tensors_of(folder):
    """The tensors of a saved model by name."""
    return {name: np.array(values) for name, values in load_file(folder / "model.safetensors").items()}


def write_tensors(folder, tensors):
    """Writes the tensors of a folder again."""
    save_file({name: np.ascontiguousarray(values) for name, values in tensors.items()}, folder / "model.safetensors")
