"""States of recurrent models by sequences, which the runtime keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....expr import PrimValue
from ....expr import Tuple as GraphTuple
from ....op import call_dps_packed, call_pure_packed
from ....struct_info import ObjectStructInfo, TensorStructInfo
from ..core import Object, Tensor, builder, unwrap, wrap

__all__ = ["RNNState"]


class RNNState(Object):
    """For each layer some tensors, which each step of a sequence replaces."""

    @staticmethod
    def create(
        max_batch_size: Any,
        num_hidden_layers: int,
        max_history: Any,
        init_values: Sequence[Tensor],
        name: str = "rnn_state",
    ) -> RNNState:
        """A state that begins with these values in each layer, and keeps the last `max_history` steps of a sequence."""
        made = call_pure_packed(
            "vm.builtin.rnn_state_create",
            PrimValue(num_hidden_layers),
            PrimValue(max_batch_size),
            PrimValue(max_history),
            GraphTuple([unwrap(value) for value in init_values]),
            sinfo_args=[ObjectStructInfo()],
        )
        return RNNState(_expr=made, _name=name)

    def get(self, layer_id: int, state_id: int, shape: Sequence[Any], dtype: str) -> Tensor:
        """The states before the step, one for each of its sequences: `shape` begins with their number."""
        call = call_dps_packed(
            "vm.builtin.rnn_state_get",
            [self._expr, PrimValue(layer_id), PrimValue(state_id)],
            TensorStructInfo(shape, dtype),
        )
        return wrap(builder("rnn_state.get").emit(call, "state"), "state")

    def set(self, layer_id: int, state_id: int, value: Tensor) -> RNNState:
        """The state with these values after the step."""
        made = call_pure_packed(
            "vm.builtin.rnn_state_set",
            self._expr,
            PrimValue(layer_id),
            PrimValue(state_id),
            unwrap(value),
            sinfo_args=[ObjectStructInfo()],
        )
        return RNNState(_expr=made, _name="rnn_state")
