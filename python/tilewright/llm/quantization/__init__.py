"""Quantised weights of language models: formats, files, layers."""

from .block_format import BlockFormat, Blocks, PackedBlocks
from .gguf import decode as decode_gguf
from .layers import BlockEmbedding, BlockLinear, quantize_model

__all__ = ["BlockEmbedding", "BlockFormat", "BlockLinear", "Blocks", "PackedBlocks", "decode_gguf", "quantize_model"]
