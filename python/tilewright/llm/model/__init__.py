"""Architectures of language models, a file each.

Reading order: `config` (what a decoder may be), `decoder` (the modules), `architecture` (what a file declares), `llama`
(such a file), `names` (weights in checkpoints). `ARCHITECTURES` is the list of all; nothing else finds one.

No file here reads checkpoints: that is `tilewright.llm.loader`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .architecture import Architecture
from .chatglm import CHATGLM, QWEN
from .cohere import COHERE, COHERE2
from .config import DecoderConfig, Experts, Rope, UnsupportedModel
from .decoder import Decoder
from .deepseek import DEEPSEEK_V2, DEEPSEEK_V3
from .falcon import FALCON
from .gemma import GEMMA, GEMMA2, GEMMA3
from .glm import GLM, GLM4
from .gpt import GPT2, GPT_BIGCODE, GPT_NEOX, GPTJ
from .granite import GRANITE, MINICPM
from .internlm import BAICHUAN, INTERNLM2
from .llama import LLAMA
from .mamba2 import MAMBA2
from .mistral import MISTRAL, MIXTRAL
from .olmo import OLMO2, OLMO3, OLMOE
from .phi import PHI, PHI3
from .qwen import QWEN2, QWEN2_MOE, QWEN3, QWEN3_MOE
from .relatives import ARCEE, ERNIE4_5, HELIUM, INTERNLM, NEMOTRON, OLMO, ORION, SEED_OSS
from .rwkv6 import RWKV6
from .smollm3 import SMOLLM3
from .stablelm import STABLELM
from .starcoder2 import STARCODER2

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Decoder",
    "DecoderConfig",
    "Experts",
    "Rope",
    "UnsupportedModel",
    "architecture_of_gguf",
    "architecture_of_type",
]

#: All architectures, in the order of the table in the documentation.
ARCHITECTURES: tuple[Architecture, ...] = (
    LLAMA, MISTRAL, MIXTRAL, QWEN, QWEN2, QWEN2_MOE, QWEN3, QWEN3_MOE, GEMMA, GEMMA2, GEMMA3, PHI, PHI3, SMOLLM3,
    DEEPSEEK_V2, DEEPSEEK_V3, OLMO, OLMO2, OLMO3, OLMOE, GRANITE, MINICPM, STABLELM, STARCODER2, COHERE, COHERE2,
    FALCON, GPT2, GPTJ, GPT_NEOX, GPT_BIGCODE, INTERNLM, INTERNLM2, BAICHUAN, CHATGLM, GLM, GLM4, ORION, NEMOTRON,
    ARCEE, ERNIE4_5, HELIUM, SEED_OSS, MAMBA2,
    RWKV6,
)  # fmt: skip


def architecture_of_type(model_type: str, architectures: Sequence[Architecture] = ARCHITECTURES) -> Architecture:
    """The architecture of a `model_type` of Hugging Face's `config.json`."""
    for own in architectures:
        if model_type in own.model_types:
            return own
    known = ", ".join(sorted(name for own in architectures for name in own.model_types))
    raise UnsupportedModel(f"no architecture is known for the model type {model_type!r}: known are {known}")


def architecture_of_gguf(name: str, architectures: Sequence[Architecture] = ARCHITECTURES) -> Architecture:
    """The architecture of a `general.architecture` of GGUF."""
    for own in architectures:
        if name in own.gguf:
            return own
    known = ", ".join(sorted(name for own in architectures for name in own.gguf))
    raise UnsupportedModel(f"no architecture is known for GGUF files of {name!r}: known are {known}")
