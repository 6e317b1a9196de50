"""Training: losses and optimisers as graph functions, and what puts them together with a model."""

from . import loss, optimizer, setup_trainer, trainer, utils
from .setup_trainer import SetupTrainer
from .trainer import Trainer
from .utils import AppendLoss

__all__ = ["AppendLoss", "SetupTrainer", "Trainer", "loss", "optimizer", "setup_trainer", "trainer", "utils"]
