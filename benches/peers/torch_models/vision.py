"""Networks of torchvision."""

from __future__ import annotations

import torchvision
from torch import nn


def network(name: str) -> nn.Module:
    # Numbers from a truncated distribution, which two networks begin with, take minutes to draw.
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return getattr(torchvision.models, name)(weights=None, **options)
