"""The target, and the one in scope."""

from __future__ import annotations

import json
import shlex
from contextvars import ContextVar
from functools import cache
from typing import Any, ClassVar, Self

from .. import _core
from ..error import TVMError, WrongTypeError
from ..runtime.device import Device
from ..runtime.device import device as device_of
from . import tag
from .kinds import FLAGS, FOREIGN_TRIPLES, KINDS, OTHER_OPTIONS, PROCESSORS, is_feature

__all__ = ["Target", "TargetKind"]

_stack: ContextVar[tuple[Target, ...]] = ContextVar("tilewright.target", default=())


class TargetKind(str):
    """The kind of a target: a text that also has itself as its `name`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The kind's name."""
        return str(self)


#: The options whose values are lists of words.
_LISTS = ("mattr", "keys", "libs", "cl-opt", "supported_dtypes")

#: Options of a GPU that the core does not read.
_UNREAD_OPTIONS = (
    "l2_cache_size_bytes", "max_local_memory_per_block", "mcpu", "mtriple", "model", "tag", "from_device",
)  # fmt: skip

#: What programs read of a target as its attributes, with what it is where nothing is said.
_READ = {
    "arch": None, "libs": [], "max_block_size_x": None, "max_block_size_y": None, "max_function_args": None,
    "max_num_threads": None, "max_shared_memory_per_block": None, "max_threads_per_block": None, "model": "unknown",
    "supports_cooperative_matrix": False, "supports_integer_dot_product": False, "texture_depth_limit": None,
    "texture_spatial_limit": None, "thread_warp_size": None,
}  # fmt: skip

#: The options of a dict besides the words of a target string.
_NO_OPTIONS = ("kind", "host", "tag")


def _options_of_json(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TVMError(f"the JSON of a target cannot be read: {error}") from error


def text_of_options(options: dict[str, Any]) -> str:
    """The target string of a dict such as `{"kind": "llvm", "mcpu": "haswell"}`."""
    words = {"kind": str(options.get("kind", "llvm"))}
    for name, value in options.items():
        if name not in _NO_OPTIONS:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            words[name] = f"-{name}={text}"
    for name, word in words.items():
        if len(word.split()) > 1:
            given = word.removeprefix(f"-{name}=")
            raise TVMError(f"`{name}` of a target is given without white space, found {given!r}")
    return " ".join(words.values())


def _read(target: Any) -> tuple[dict[str, Any], str]:
    """The options of a target in any form, its kind among them, and its short name."""
    if isinstance(target, str) and target.lstrip().startswith("{"):
        target = _options_of_json(target)
    if isinstance(target, str) and (found := tag.options_of(target.strip())) is not None:
        return dict(found), target.strip()
    if isinstance(target, str):
        return _options_of_words(target), ""
    name = str(target.get("tag") or "")
    if name and (found := tag.options_of(name)) is not None:
        return {**found, **{key: value for key, value in target.items() if key != "tag"}}, name
    return dict(target), ""


def _options_of_words(text: str) -> dict[str, Any]:
    """The options of words such as `llvm -mcpu=haswell -num-cores 4`; a word that says nothing stays as it is."""
    words = shlex.split(text) if "'" in text or '"' in text else text.split()
    options: dict[str, Any] = {"kind": words[0]} if words else {"kind": ""}
    rest = iter(range(1, len(words)))
    for index in rest:
        name, between, value = words[index].lstrip("-").partition("=")
        if not words[index].startswith("-"):
            raise TVMError(f"expected an option such as -mcpu=haswell, found {words[index]!r}")
        if not between and name in FLAGS:
            value = "true"
        elif not between and index + 1 < len(words) and not words[index + 1].startswith("-"):
            value = words[next(rest)]
        elif not between:
            raise TVMError(f"expected an option such as -mcpu=haswell, found {words[index]!r}")
        value = value.strip("'\"")
        if name in _LISTS:
            options.setdefault(name, []).extend(word for word in value.split(",") if word)
        else:
            options[name] = value
    return options


def _typed(name: str, value: Any) -> Any:
    """An option's value: numbers and truth values as such."""
    if isinstance(value, str) and name not in _LISTS:
        if value.lstrip("-").isdecimal():
            return int(value)
        return {"true": True, "false": False}.get(value.lower(), value)
    return list(value) if isinstance(value, (list, tuple)) else value


class _Options:
    """What a target says, and of this what the core reads."""

    def __init__(self, target: Any) -> None:
        options, self.tag = _read(target)
        self.kind = str(options.pop("kind", "llvm"))
        self.host = options.pop("host", None)
        self.options = {name: _typed(name, value) for name, value in options.items()}
        #: Why no code is made for the target, where there is a reason.
        self.unbuilt: str | None = None
        #: The processor as it is named.
        self.mcpu: str | None = None
        self.triple: str | None = None
        if isinstance(target, str) and "\n" not in target and not self.tag:
            self.text = target.strip() if not target.lstrip().startswith("{") else text_of_options(self._all())
        else:
            self.text = text_of_options(self._all())

    def _all(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.options}

    def core_text(self) -> str:
        """The target string for the core, in words that it reads."""
        if self.kind in KINDS and self.kind not in ("llvm", "c", "cuda", "ext_dev"):
            return self._stand_in()
        options = dict(self.options)
        if self.kind not in ("cuda", "nvidia", "ext_dev"):
            for name in OTHER_OPTIONS:
                options.pop(name, None)
            self._rename_processor(options)
        else:
            for name in _UNREAD_OPTIONS:
                options.pop(name, None)
        return text_of_options({"kind": self.kind, **options})

    def _rename_processor(self, options: dict[str, Any]) -> None:
        """Puts names that the core has in the place of others."""
        triple = str(options.get("mtriple", ""))
        here = triple.startswith(("x86_64", "aarch64", "arm64")) and "linux" in triple
        if triple.startswith(FOREIGN_TRIPLES) and not here:
            self.unbuilt, self.triple = f"no code is made for {triple}", triple
            self.mcpu = str(options.pop("mcpu", "generic"))
            options.pop("mattr", None), options.pop("mtriple")
            return
        if (name := PROCESSORS.get(str(options.get("mcpu", "")))) is not None:
            self.mcpu, options["mcpu"] = str(options["mcpu"]), name
        if isinstance(attributes := options.get("mattr"), list):
            kept = [word for word in attributes if not _is_unread_feature(word)]
            options["mattr"] = kept
            if not kept:
                del options["mattr"]

    def _stand_in(self) -> str:
        """A target of the core that has the limits of this one's device."""
        self.unbuilt = f'the target "{self.kind}" is not built in this version: use "llvm"'
        if not KINDS[self.kind].is_gpu:
            return "llvm"
        attrs = {**KINDS[self.kind].attrs, **self.options}
        limits = (("max_threads_per_block", min(int(attrs["max_threads_per_block"]), 1024)),
                  ("thread_warp_size", attrs["thread_warp_size"]))  # fmt: skip
        return " ".join(["cuda", *(f"-{name}={value}" for name, value in limits)])


def _is_unread_feature(word: str) -> bool:
    """Whether a feature is one that LLVM knows and the core has no use for."""
    return is_feature(word.lstrip("+-")) and word.lstrip("+-") not in _core_features()


@cache
def _core_features() -> frozenset[str]:
    """The features that the core reads, of all architectures."""
    known = set()
    for triple in ("x86_64-linux-gnu", "aarch64-linux-gnu"):
        for name in ("sapphirerapids", "znver4", "alderlake", "x86-64-v4", "neoverse-v2", "neoverse-n2", "apple-m2"):
            try:
                target = _core.Target(f"llvm -mtriple={triple} -mcpu={name}")
            except TVMError:
                continue
            known.update(target.features, target.units)
    return frozenset(known)


class Features(list):
    """The features of a processor, by LLVM's names; `features.has_sve` asks for one as programs do."""

    _NAMES: ClassVar = {
        "has_asimd": "neon", "has_dotprod": "dotprod", "has_matmul_i8": "i8mm", "has_fp16_simd": "fullfp16",
        "has_sve": "sve", "has_sme": "sme",
    }  # fmt: skip
    is_aarch64 = False
    is_fast = False

    def __getattr__(self, name: str) -> bool:
        """Whether there is a feature, as `has_` and its name."""
        if not name.startswith("has_"):
            raise AttributeError(f"a question for a feature is such as `has_sve`, found `{name}`")
        return self._NAMES.get(name, name.removeprefix("has_")) in self


class Target(_core.Target):
    """A machine to compile for: `Target("llvm")` is this one, `Target("haswell")` and `Target("llvm -mcpu=haswell")`
    a known processor, `Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")` another architecture; a dict of
    the options does too, and so does its JSON, and a short name such as `nvidia/nvidia-a100`.

    `mcpu`, `mtriple`, `features` and `attrs` say what it came to. In a `with` statement it is the target in scope, for
    whatever is built without naming one. Targets for which no code is made can be named too.
    """

    _host: Target | None
    _options: _Options

    def __new__(cls, target: str | dict[str, Any] | Target, host: str | dict[str, Any] | Target | None = None) -> Self:
        """The target of a string, of a dict of options, or of another target; `host` is the machine around a device."""
        if isinstance(target, Target):
            given = target._options
            host = target._host if host is None else host
        else:
            if not isinstance(target, (str, dict)):
                raise WrongTypeError(f"expected a target string, found {type(target).__name__}")
            if isinstance(target, dict) and isinstance(target.get("keys"), str):
                raise WrongTypeError(f"keys is a list of words, found the text {target['keys']!r}")
            given = _Options(target)
            host = given.host if host is None else host
        host = None if host is None else Target.choose(host)
        self = super().__new__(cls, given.core_text(), host)
        self._host, self._options = host, given
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Target):
            return NotImplemented
        return super().__eq__(other) and self._identity() == other._identity()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((super().__hash__(), self._identity()))

    def _identity(self) -> tuple[Any, ...]:
        """What tells targets apart that the core does not."""
        if self._options.unbuilt is None:
            return ()
        given = self._options.options.items()
        options = sorted((name, str(value)) for name, value in given if name not in ("keys", "tag"))
        return (self._options.kind, tuple(self.keys), tuple(options))

    def __str__(self) -> str:
        return self.text if self._options.unbuilt is None else self._options.text

    def __repr__(self) -> str:
        return f"Target({str(self)!r})" if self._options.unbuilt is None else f"Target({self._options.text!r})"

    @property
    def host(self) -> Target | None:
        """The machine around the device, if one was named."""
        return self._host

    def _text_with_host(self) -> str:
        """The target string with an option for the host, as the attribute `target` of a function has it."""
        text, host = str(self), self._host
        if host is None or "-host" in text:
            return text
        return f"{text} -host='{host}'" if " " in str(host) else f"{text} -host={host}"

    def with_host(self, host: str | dict[str, Any] | Target | None = None) -> Target:
        """The same target with another machine around it."""
        return Target(self, host)

    @staticmethod
    def canon_target(target: str | dict[str, Any] | Target | None) -> Target | None:
        """A target in any form as a Target; nothing stays nothing."""
        return None if target is None else Target.choose(target)

    @staticmethod
    def canon_target_and_host(target: Any, target_host: Any = None) -> tuple[Target | None, Target | None]:
        """The target with its host, and the host."""
        chosen = Target.canon_target(target)
        if chosen is None:
            return None, Target.canon_target(target_host)
        made = chosen if target_host is None else Target(chosen, target_host)
        return made, made.host

    @staticmethod
    def canon_multi_target(multi_targets: Any) -> list[Target] | None:
        """One target or several as a list of them; nothing stays nothing."""
        if multi_targets is None:
            return None
        several = multi_targets if isinstance(multi_targets, (list, tuple)) else [multi_targets]
        return [Target.choose(one) for one in several]

    @staticmethod
    def canon_target_map_and_host(target_map: Any, target_host: Any = None) -> tuple[dict[Target, Any], Target | None]:
        """What is by a target, by the target with its host; and the host."""
        pairs = [(Target.canon_target_and_host(target, target_host), item) for target, item in target_map.items()]
        made = {target: item for (target, _), item in pairs if target is not None}
        return made, next((host for (_, host), _ in pairs if host is not None), None)

    @property
    def tag(self) -> str:
        """The short name that the target was made from, or nothing."""
        return self._options.tag

    @property
    def kind(self) -> TargetKind:
        """`llvm` for a processor."""
        return TargetKind(self._options.kind if self._options.kind in KINDS else self.kind_name)

    def require_built(self) -> None:
        """An error where no code is made for the target."""
        if self._options.unbuilt is not None:
            raise TVMError(self._options.unbuilt)

    @property
    def mcpu(self) -> str:
        """LLVM's name of the processor."""
        return self._options.mcpu or super().mcpu

    @property
    def mtriple(self) -> str:
        """LLVM's name of machine, system and object format."""
        return self._options.triple or super().mtriple

    @property
    def mattr(self) -> list[str]:
        """The features that the target string adds and takes away."""
        return list(self._options.options.get("mattr", []))

    @property
    def features(self) -> Features:
        """The extensions of the instruction set that kernels may use, by LLVM's names."""
        if self._options.unbuilt is not None or "gpu" in self.keys:
            given = [word.lstrip("+") for word in self.mattr if not word.startswith("-")]
            found = Features(given)
        else:
            given = [word.lstrip("+") for word in self.mattr if _is_unread_feature(word) and not word.startswith("-")]
            found = Features([*super().features, *given])
        found.is_aarch64 = self.mtriple.startswith(("aarch64", "arm64"))
        return found

    @property
    def attrs(self) -> dict[str, Any]:
        """The options that decide the code, and those that were said: of a GPU, its limits among them."""
        kind = KINDS.get(str(self.kind))
        own = {name: value for name, value in self._options.options.items() if name != "keys"}
        if kind is not None and kind.is_gpu:
            merged = {**kind.attrs, **own}
            names = ("max_num_threads", "max_threads_per_block")
            for one, other in (names, names[::-1]):
                if one in own and other not in own:
                    merged[other] = own[one]
            return merged
        if self._options.unbuilt is not None:
            return own
        found = dict(super().attrs)
        found.update({name: value for name, value in own.items() if name not in found})
        if self._options.mcpu is not None:
            found["mcpu"] = self._options.mcpu
        return found

    def __getattr__(self, name: str) -> Any:
        """An attribute that programs read of a target: its limits, its model, its libraries."""
        if name in _READ:
            return self.attrs.get(name, _READ[name])
        raise AttributeError(f"a target has no attribute `{name}`")

    def get_kind_attr(self, attr_name: str) -> Any:
        """An attribute of the kind, or None."""
        return KINDS[str(self.kind)].attrs.get(attr_name) if str(self.kind) in KINDS else None

    def supports_feature(self, feature_name: str) -> bool:
        """Whether kernels may use this extension of the instruction set."""
        return feature_name in self.features

    @property
    def keys(self) -> list[str]:
        """Words for the sort of machine."""
        if (keys := self._options.options.get("keys")) is not None:
            return keys
        kind = str(self.kind)
        if kind != "llvm":
            device = [str(self._options.options["device"])] if "device" in self._options.options else []
            return [*device, *(KINDS[kind].keys if kind in KINDS else (kind, "gpu"))]
        return ["arm_cpu", "cpu"] if self.mtriple.startswith(("aarch64", "arm")) else ["cpu"]

    def __reduce__(self) -> tuple[Any, ...]:
        given = self._options.tag or self._options.text
        return (Target, (given, self._host))

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target in scope; where there is none: None, or an error if that is not allowed."""
        stack = _stack.get()
        if not stack and not allow_none:
            raise ValueError("no target is in scope: use `with Target(...):`")
        return stack[-1] if stack else None

    @staticmethod
    def target_or_current(target: str | dict[str, Any] | Target | None) -> Target:
        """The target that was named, else the one in scope; an error where there is neither."""
        return Target.current(allow_none=False) if target is None else Target.choose(target)

    @staticmethod
    def list_kinds() -> list[str]:
        """The kinds of targets that can be named; code is made for `llvm`."""
        return sorted(KINDS)

    @staticmethod
    def from_device(device: Device | str) -> Target:
        """The target of a device: a processor is this machine's own."""
        device = device_of(device) if isinstance(device, str) else device
        names = {kind.device_type: name for name, kind in reversed(KINDS.items())}
        return Target("llvm" if device.device_type == 1 else names[device.device_type])

    def get_target_device_type(self) -> int:
        """DLPack's number for the kind of device that the target's kernels run on."""
        return KINDS[str(self.kind)].device_type

    def export(self) -> dict[str, Any]:
        """The target as a dict of options, of which `Target` makes it again."""
        options = self._options.options
        if str(self.kind) == "llvm" and "mtriple" not in options:
            options = {"mtriple": self.mtriple, "mcpu": "native", **self.options, **options}
        around = {} if self._host is None else {"host": self._host.export()}
        return {"kind": str(self.kind), "tag": self.tag, "keys": self.keys, **around, **options}

    @staticmethod
    def choose(target: str | dict[str, Any] | Target | None) -> Target:
        """The target that was named, else the one in scope, else this machine's processor."""
        if isinstance(target, Target):
            return target
        if target is None:
            return Target.current() or Target("llvm")
        if not isinstance(target, (str, dict)):
            raise WrongTypeError(f"expected a Target or a target string, found {type(target).__name__}")
        return Target(target)
