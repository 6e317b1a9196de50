"""Speech models of transformers."""

from __future__ import annotations

import transformers as hf
from torch import Tensor, nn

from . import Case
from .own import drawn
from .text import (
    CROSS_KEYS,
    CROSS_SIZES,
    HEADS,
    LAYERS,
    STEP_SIZES,
    WIDTH,
    CrossDecoder,
    CrossStep,
    configured,
    cross_inputs,
    step_inputs,
)


class First(nn.Module):
    """The first result of a network, the hidden states."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        return self.network(x)[0]


def whisper() -> nn.Module:
    """Whisper's network, for spectra of 40 steps."""
    config = configured(
        "Whisper",
        num_mel_bins=20,
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=20,
        max_target_positions=32,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return hf.WhisperForConditionalGeneration(config)


def wav2vec2() -> nn.Module:
    """wav2vec 2.0 with three convolutions before the encoder."""
    config = hf.Wav2Vec2Config(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=64,
        conv_dim=(16, 16, 16),
        conv_stride=(5, 2, 2),
        conv_kernel=(10, 3, 3),
        num_feat_extract_layers=3,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
    )
    return First(hf.Wav2Vec2Model(config))


CASES = [
    Case(
        "whisper_encoder",
        lambda: First(whisper().model.encoder),
        lambda n, _: (drawn(n, 20, 40),),
        ({0: "batch"},),
    ),
    Case(
        "whisper_decoder",
        lambda: (lambda one: CrossDecoder(one.model.decoder, one.proj_out))(whisper()),
        cross_inputs,
        CROSS_SIZES,
        idle=("embed_tokens", "embed_positions"),
    ),
    Case(
        "whisper_decoder_step",
        lambda: (lambda one: CrossStep(one.model.decoder, one.proj_out))(whisper()),
        step_inputs,
        STEP_SIZES,
        idle=("embed_tokens", "embed_positions", *CROSS_KEYS),
    ),
    Case(
        "wav2vec2",
        wav2vec2,
        lambda n, length: (drawn(n, 100 * length),),
        ({0: "batch", 1: "samples"},),
        idle=("masked_spec_embed", "k_proj.bias"),
    ),
]
