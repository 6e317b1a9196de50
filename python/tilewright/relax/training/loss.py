"""Losses: each makes a graph function of predictions and targets."""

from __future__ import annotations

from typing import Any

from ..block_builder import BlockBuilder
from ..expr import Expr, Function, Var
from ..op import abs as absolute
from ..op import argmax, mean, subtract
from ..op import sum as total
from ..op.nn import nll_loss
from ..struct_info import StructInfo

__all__ = ["CategoricalCrossEntropyLoss", "CrossEntropyLoss", "L1Loss", "Loss", "MSELoss"]


def _parameter(name: str, given: Any) -> Var:
    """A parameter as the argument is, or as its struct info says."""
    return Var(name, given if isinstance(given, StructInfo) else given.struct_info)


class Loss:
    """What all losses have: a name for the function, and how the losses of elements become one (`reduction`)."""

    def __init__(self, loss_name: str, reduction: str = "mean", num_backbone_outputs: int = 1) -> None:
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f'the reduction of a loss is "mean", "sum" or "none", found {reduction!r}')
        self._loss_name, self._reduction, self._num_backbone_outputs = loss_name, reduction, num_backbone_outputs

    @property
    def num_backbone_outputs(self) -> int:
        """How many results of a model the loss takes."""
        return self._num_backbone_outputs

    def _reduced(self, value: Expr) -> Expr:
        return {"mean": mean, "sum": total, "none": lambda same: same}[self._reduction](value)

    def _formula(self, *parameters: Var) -> Expr:
        raise NotImplementedError(f"{type(self).__name__} has no formula")

    def _function(self, **given: Any) -> Function:
        bb = BlockBuilder()
        parameters = [_parameter(name, value) for name, value in given.items() if value is not None]
        with bb.function(self._loss_name, parameters):
            with bb.dataflow():
                result = bb.emit_output(self._formula(*parameters))
            bb.emit_func_output(result)
        return bb.get()[self._loss_name]


class L1Loss(Loss):
    """The distances of predictions from targets."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("l1_loss", reduction)

    def __call__(self, predictions: Any, targets: Any) -> Function:
        """The function for tensors like these."""
        return self._function(predictions=predictions, targets=targets)

    def _formula(self, *parameters: Var) -> Expr:
        return self._reduced(absolute(subtract(*parameters)))


class MSELoss(Loss):
    """The squares of the distances of predictions from targets."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("mse_loss", reduction)

    def __call__(self, predictions: Any, targets: Any) -> Function:
        """The function for tensors like these."""
        return self._function(predictions=predictions, targets=targets)

    def _formula(self, *parameters: Var) -> Expr:
        distance = subtract(*parameters)
        return self._reduced(distance * distance)


class CrossEntropyLoss(Loss):
    """Of logits and classes: the negative logarithms of the classes' probabilities, weighted if there are weights."""

    def __init__(self, reduction: str = "mean", ignore_index: int = -100) -> None:
        super().__init__("cross_entropy_loss", reduction)
        self.ignore_index = ignore_index

    def __call__(self, predictions: Any, targets: Any, weights: Any = None) -> Function:
        """The function for tensors like these."""
        return self._function(predictions=predictions, targets=targets, weights=weights)

    def _formula(self, *parameters: Var) -> Expr:
        from ..op.nn import log_softmax

        predictions, *others = parameters
        # The classes are the second dimension: the last one of a matrix, and the only one of a vector.
        axis = 1 if predictions.struct_info.ndim > 2 else -1
        likelihoods = log_softmax(predictions, axis=axis)
        return nll_loss(likelihoods, *others, reduction=self._reduction, ignore_index=self.ignore_index)


class CategoricalCrossEntropyLoss(Loss):
    """Of logits and the probabilities of the classes, or 1 for one class and 0 for the others.

    The losses that become one are those of all elements: targets times the negative logarithms of the probabilities,
    times the weights of the classes. With an `ignore_index` of 0 or more the targets name the class of the largest
    one, and the loss is that of `CrossEntropyLoss`.
    """

    def __init__(self, reduction: str = "mean", ignore_index: int = -100) -> None:
        super().__init__("categorical_cross_entropy_loss", reduction)
        self.ignore_index = ignore_index

    def __call__(self, predictions: Any, targets: Any, weights: Any = None) -> Function:
        """The function for tensors like these."""
        return self._function(predictions=predictions, targets=targets, weights=weights)

    def _formula(self, *parameters: Var) -> Expr:
        from ..op.nn import log_softmax

        predictions, targets, *weights = parameters
        likelihoods = log_softmax(predictions)
        if self.ignore_index >= 0:
            classes = argmax(targets, axis=1)
            return nll_loss(likelihoods, classes, *weights, reduction=self._reduction, ignore_index=self.ignore_index)
        losses = -likelihoods * targets.astype(predictions.struct_info.dtype)
        return self._reduced(losses * weights[0] if weights else losses)
