"""Losses and optimisers as graph functions. Gradients are the caller's own: no pass makes them."""

from . import loss, optimizer

__all__ = ["loss", "optimizer"]
