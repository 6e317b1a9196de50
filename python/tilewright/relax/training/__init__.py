"""Losses and optimisers as graph functions. Gradients are the caller's own: no pass makes them."""

from . import loss, optimizer, utils
from .utils import AppendLoss

__all__ = ["AppendLoss", "loss", "optimizer", "utils"]


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__name__, name)
