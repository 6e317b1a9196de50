"""Networks of torchvision."""

from __future__ import annotations

import torchvision
from torch import nn


def network(name: str) -> nn.Module:
    return getattr(torchvision.models, name)(weights=None)
