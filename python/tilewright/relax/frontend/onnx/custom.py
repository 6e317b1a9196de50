"""Nodes of ONNX that functions of Python translate: those of users, and other runtimes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...block_builder import BlockBuilder


@dataclass(frozen=True)
class OnnxNode:
    """A node, as functions of a `custom_convert_map` get it.

    `inputs` are values of the graph, `None` for one that is left out. `attrs` are numbers, texts, lists of them, or
    constants of the graph; a graph among them is `None`. `reason` says why its rule refused it, if that was so.
    """

    op_type: str
    domain: str
    name: str
    opset: int
    inputs: list[Any]
    attrs: dict[str, Any]
    outputs: list[str]
    reason: str | None = None
    #: The node as the bytes of a model of its own, where it is one, with the names of that model's inputs and the
    #: number of the node's input that each is. The symbolic dimensions `d0`, `d1` … in it are `model_sizes`.
    model: bytes | None = None
    model_inputs: list[tuple[str, int]] = field(default_factory=list)
    model_sizes: list[Any] = field(default_factory=list)


class OnnxImporter:
    """What functions of a `custom_convert_map` get as their second argument.

    `block_builder` is the builder of the function.
    """

    def __init__(
        self,
        custom_convert_map: Mapping[str, Callable[[OnnxNode, OnnxImporter], Any]] | None,
        unsupported: Callable[[OnnxNode, OnnxImporter], Any] | None,
    ) -> None:
        self.custom_convert_map = dict(custom_convert_map or {})
        self.block_builder = BlockBuilder()
        self._unsupported = unsupported

    @property
    def operators(self) -> list[str | None]:
        """The operators that are translated here; `None` among them means all that have no rule."""
        rest: list[str | None] = [None] if self._unsupported is not None else []
        return [*self.custom_convert_map, *rest]

    def translate(self, record: Mapping[str, Any]) -> Any:
        """The outputs of a node: a value, or a tuple or list of them."""
        node = OnnxNode(**record)
        standard = node.domain in ("", "ai.onnx")
        names = [node.op_type, f"ai.onnx.{node.op_type}"] if standard else [f"{node.domain}.{node.op_type}"]
        function = next((self.custom_convert_map[name] for name in names if name in self.custom_convert_map), None)
        function = function or self._unsupported
        if function is None:
            raise ValueError(f"nothing translates the node `{node.name}`")
        return function(node, self)
