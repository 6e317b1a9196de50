"""The builder: the frames that are open, and what came out of the outermost one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from ...error import TVMError

__all__ = ["Frame", "IRBuilder", "expected_frame"]


class IRBuilder:
    """Holds the frames that `with` statements open; `get()` gives what was built."""

    _open: ClassVar[list[IRBuilder]] = []

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._result: Any = None

    def __enter__(self) -> Self:
        IRBuilder._open.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        IRBuilder._open.pop()

    @staticmethod
    def current() -> IRBuilder:
        """The builder whose `with` is around."""
        if not IRBuilder._open:
            raise TVMError(
                "nothing can be built here: it is no text that a decorator of the script reads, and no "
                "`with IRBuilder() as ib:` is around"
            )
        return IRBuilder._open[-1]

    @staticmethod
    def is_in_scope() -> bool:
        """Whether the `with` of a builder is around."""
        return bool(IRBuilder._open)

    def get(self) -> Any:
        """The function or module that was built."""
        if self._result is None:
            raise TVMError("no function and no module was built")
        return self._result

    def finish(self, result: Any) -> None:
        """Takes what the outermost frame built."""
        if self._result is not None:
            raise TVMError("a builder builds one function or one module")
        self._result = result

    @staticmethod
    def name(s: str, v: Any) -> Any:
        """The value itself: variables have the names that they were made with."""
        return v

    @staticmethod
    def name_many(s: Sequence[str], vs: Sequence[Any]) -> list[Any]:
        """The values themselves."""
        return list(vs)


class Frame:
    """What a `with` opens: it collects what is said inside, and becomes a part of the frame around when it ends."""

    def __enter__(self) -> Any:
        IRBuilder.current().frames.append(self)
        self.begin()
        return self.value()

    def __exit__(self, kind: type | None, *_: object) -> None:
        builder = IRBuilder.current()
        builder.frames.pop()
        if kind is None:
            self.end(builder.frames[-1] if builder.frames else None)

    def begin(self) -> None:
        """What happens at the beginning."""

    def value(self) -> Any:
        """What `as` names."""
        return self

    def end(self, around: Frame | None) -> None:
        """Hands what was built to the frame around."""
        raise NotImplementedError


def expected_frame(kind: type, what: str, *, innermost: bool = False) -> Any:
    """The nearest open frame of a kind."""
    frames = IRBuilder.current().frames
    for frame in frames[-1:] if innermost else reversed(frames):
        if isinstance(frame, kind):
            return frame
    raise TVMError(f"{what} may not stand here")
