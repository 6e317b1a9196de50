"""Language models: architectures (`model`) and the files that their weights come in (`loader`).

`open_model(path)` gives a `Source`, whose `config` makes a `Decoder`; `Decoder.export_tvm` gives an IRModule and the
names of its weights, which `Source.read` reads.
"""

from __future__ import annotations

from . import loader, model
from .embedding import embed
from .loader import Source, open_model
from .model import ARCHITECTURES, Decoder, DecoderConfig, UnsupportedModel

__all__ = [
    "ARCHITECTURES",
    "Decoder",
    "DecoderConfig",
    "Source",
    "UnsupportedModel",
    "embed",
    "loader",
    "model",
    "open_model",
]
