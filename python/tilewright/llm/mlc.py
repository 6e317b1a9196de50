"""What MLC LLM makes of a model: weights in the shards of `ndarray-cache.json`, and `mlc-chat-config.json`."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contrib.tvmjs import dump_ndarray_cache
from ..error import TVMError
from .loader import open_model
from .loader.huggingface import read_json
from .model import UnsupportedModel
from .quantization.quantize import group_codes

__all__ = ["CONVERSATIONS", "CONVERTED", "convert_weight", "gen_config", "group_quantize", "jinja_of"]

#: Modes that weights are converted to: bits of a code (0 for none), elements of a group, the type of what stays floats.
CONVERTED: dict[str, tuple[int, int, str]] = {
    "q0f16": (0, 0, "float16"),
    "q0f32": (0, 0, "float32"),
    "q3f16_1": (3, 40, "float16"),
    "q4f16_1": (4, 32, "float16"),
    "q4f32_1": (4, 32, "float32"),
}
#: Files of a tokenizer that belong to a model's folder.
TOKENIZER_FILES = (
    "tokenizer.model", "tokenizer.json", "vocab.json", "merges.txt", "added_tokens.json", "tokenizer_config.json",
)  # fmt: skip
#: The end of the name of a matrix that stays as it is, as in MLC LLM: a router of few experts.
ROUTER, ROUTED = "gate", 64


def group_quantize(
    weight: NDArray[Any], bits: int, group: int, rounding: str = "even"
) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """A weight `[N, K]` as words of codes `[N, words]` and scales `[N, groups]`: those of `group_codes`."""
    rows, columns = weight.shape
    groups, per = -(-columns // group), 32 // bits
    padded = np.zeros((rows, groups * group), weight.dtype)
    padded[:, :columns] = weight
    codes, scale = group_codes(padded.reshape(rows, groups, group), bits, rounding)
    codes = codes.astype(np.uint32).reshape(rows, -1)
    codes[:, columns:] = 0
    words = codes.reshape(rows, -1, per) << (np.arange(per, dtype=np.uint32) * np.uint32(bits))
    return np.bitwise_or.reduce(words, -1).astype(np.uint32), scale


def convert_weight(
    path: Path,
    output: Path,
    quantization: str,
    rounding: str = "even",
    progress: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """Writes the weights of a model into a folder as MLC LLM has them; the result is what `ndarray-cache.json` says of
    them: `ParamSize`, `ParamBytes`, `BitsPerParam`.
    """
    if quantization not in CONVERTED:
        raise TVMError(f"weights are converted to {', '.join(CONVERTED)}, found {quantization!r}")
    source = open_model(path)
    naming = source.architecture.mlc
    if naming is None:
        raise UnsupportedModel(f"{path}: folders of MLC LLM with a {source.architecture.name} are not written")
    recipes = source.architecture.recipes(source.config, naming(source.config), "", ())
    names = [(name, recipe) for name, recipe in recipes if name in source]
    counts = {"ParamSize": 0, "ParamBytes": 0.0, "BitsPerParam": 0.0}
    elements = 0

    def tensors() -> Iterator[tuple[str, NDArray[Any]]]:
        nonlocal elements
        for number, (name, recipe) in enumerate(names):
            progress(f"converting weight {number + 1} of {len(names)}: {name}")
            values = source.read(name)
            elements += values.size
            part = recipe.parts[0]
            if len(recipe.parts) != 1 or part.rows is not None or part.transposed:
                raise UnsupportedModel(f"{name} is no tensor of its own in folders of MLC LLM")
            for own, tensor in _converted(part.name, values - np.float32(recipe.add), quantization, rounding):
                counts["ParamSize"] += 1
                counts["ParamBytes"] += tensor.nbytes
                yield own, tensor

    def about() -> dict[str, Any]:
        counts["BitsPerParam"] = counts["ParamBytes"] * 8 / max(elements, 1)
        return counts

    output.mkdir(parents=True, exist_ok=True)
    dump_ndarray_cache(tensors(), str(output), meta_data=about, show_progress=False)
    progress("")
    return counts


def _converted(
    name: str, values: NDArray[np.float32], quantization: str, rounding: str
) -> Iterator[tuple[str, NDArray[Any]]]:
    """The tensors that a weight becomes."""
    bits, group, dtype = CONVERTED[quantization]
    with np.errstate(over="ignore"):
        made = values.astype(dtype)
    if not np.isfinite(made).all():
        raise TVMError(f"{name}: a value is NaN, infinite, or too large for {dtype}")
    stem = name.removesuffix(".weight")
    routes = stem.endswith(ROUTER) and len(values) <= ROUTED
    if bits == 0 or values.ndim != 2 or stem == name or routes:
        yield name, made
        return
    words, scale = group_quantize(made, bits, group, rounding)
    yield f"{stem}.q_weight", words
    yield f"{stem}.q_scale", scale


def _conversation(name: str, **fields: Any) -> dict[str, Any]:
    usual = {
        "name": name,
        "system_template": "{system_message}",
        "system_message": "",
        "system_prefix_token_ids": None,
        "add_role_after_system_message": True,
        "roles": {"user": "user", "assistant": "assistant"},
        "role_templates": {
            "user": "{user_message}", "assistant": "{assistant_message}", "tool": "{tool_message}",
        },
        "messages": [],
        "seps": [""],
        "role_content_sep": "",
        "role_empty_sep": "",
        "stop_str": [],
        "stop_token_ids": [],
        "function_string": "",
        "use_function_calling": False,
    }  # fmt: skip
    return usual | fields


#: Templates of conversations that `gen_config` knows by name.
CONVERSATIONS: dict[str, dict[str, Any]] = {
    made["name"]: made
    for made in (
        _conversation(
            "chatml",
            system_template="<|im_start|>system\n{system_message}",
            system_message="You are a helpful assistant.",
            roles={"user": "<|im_start|>user", "assistant": "<|im_start|>assistant"},
            seps=["<|im_end|>\n"],
            role_content_sep="\n",
            role_empty_sep="\n",
            stop_str=["<|im_end|>"],
        ),
        _conversation(
            "llama-3",
            system_template="<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{system_message}",
            system_message="You are a helpful, respectful and honest assistant.",
            roles={
                "user": "<|start_header_id|>user<|end_header_id|>",
                "assistant": "<|start_header_id|>assistant<|end_header_id|>",
            },
            seps=["<|eot_id|>"],
            role_content_sep="\n\n",
            role_empty_sep="\n\n",
            stop_str=["<|eot_id|>"],
        ),
        _conversation(
            "gemma_instruction",
            roles={"user": "<start_of_turn>user", "assistant": "<start_of_turn>model"},
            seps=["<end_of_turn>\n"],
            role_content_sep="\n",
            role_empty_sep="\n",
            system_prefix_token_ids=[2],
            stop_str=["<end_of_turn>"],
        ),
        _conversation(
            "mistral_default",
            system_template="[INST] {system_message}",
            roles={"user": "[INST]", "assistant": "[/INST]"},
            seps=[" "],
            role_content_sep=" ",
            add_role_after_system_message=False,
            system_prefix_token_ids=[1],
            stop_str=["</s>"],
        ),
        _conversation("LM", roles={"user": "", "assistant": ""}, stop_str=[]),
    )
}


def gen_config(path: Path, output: Path, quantization: str, conversation: str, **sizes: int | None) -> dict[str, Any]:
    """Writes `mlc-chat-config.json` into a folder, with the files of the tokenizer; the result is what it says.

    `path` is a folder of Hugging Face or its `config.json`; `conversation` a name of `CONVERSATIONS`, or a file with a
    template. `sizes` are `context_window_size`, `sliding_window_size`, `prefill_chunk_size`, `attention_sink_size`,
    `tensor_parallel_shards` and `max_batch_size`; None leaves what the model says.
    """
    if quantization not in CONVERTED:
        raise TVMError(f"weights are of the modes {', '.join(CONVERTED)}, found {quantization!r}")
    file = path / "config.json" if path.is_dir() else path
    if not file.is_file():
        raise TVMError(f"{path}: expected a folder with config.json, or that file")
    settings, folder = read_json(file), file.parent
    said = read_json(folder / "generation_config.json") if (folder / "generation_config.json").is_file() else {}
    own = _model_config(settings, file)
    own |= {name: size for name, size in sizes.items() if size is not None}
    template = CONVERSATIONS.get(conversation)
    if template is None:
        if not Path(conversation).is_file():
            known = ", ".join(CONVERSATIONS)
            raise TVMError(f"a conversation is one of {known}, or a file with a template, found {conversation!r}")
        template = read_json(Path(conversation))
    jinja_of(template, conversation)
    files = [name for name in TOKENIZER_FILES if (folder / name).is_file()]
    if not files:
        raise TVMError(f"{folder}: expected the files of a tokenizer: {', '.join(TOKENIZER_FILES)}")
    pick = lambda name, default: said.get(name, settings.get(name, default))  # noqa: E731
    config = {
        "version": "0.1.0",
        "model_type": settings.get("model_type"),
        "quantization": quantization,
        "model_config": settings | own,
        "vocab_size": settings.get("vocab_size"),
        "context_window_size": own["context_window_size"],
        "sliding_window_size": own.get("sliding_window_size", -1),
        "prefill_chunk_size": own["prefill_chunk_size"],
        "attention_sink_size": own.get("attention_sink_size", -1),
        "tensor_parallel_shards": own.get("tensor_parallel_shards", 1),
        "pipeline_parallel_stages": 1,
        "temperature": pick("temperature", 1.0),
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "repetition_penalty": pick("repetition_penalty", 1.0),
        "top_p": pick("top_p", 1.0),
        "tokenizer_files": files,
        "tokenizer_info": {},
        "conv_template": template,
        "pad_token_id": pick("pad_token_id", 0) or 0,
        "bos_token_id": pick("bos_token_id", 1),
        "eos_token_id": pick("eos_token_id", 2),
    }
    output.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (folder / name).resolve() != (output / name).resolve():
            shutil.copyfile(folder / name, output / name)
    (output / "mlc-chat-config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False), encoding="utf-8")
    return config


def _model_config(settings: dict[str, Any], file: Path) -> dict[str, Any]:
    """The settings that MLC LLM adds to those of a model."""
    from .loader.huggingface import model_type
    from .model import architecture_of_type

    config = architecture_of_type(model_type(settings, str(file))).from_dict(settings, str(file))
    longest = config.context_window_size
    return {"context_window_size": longest, "prefill_chunk_size": min(longest, 2048), "tensor_parallel_shards": 1,
            "max_batch_size": 1}  # fmt: skip


def jinja_of(template: Mapping[str, Any], place: str) -> str:
    """A conversation template of MLC LLM (`conv_template`) as a chat template in Jinja.

    What messages say stays data: control tokens are those of the template.
    """
    own = _Conversation.of(template, place)
    parts = ["{%- set ns = namespace(system=none, first=true) -%}"]
    parts.append("{%- for m in messages if m['role'] == 'system' -%}{%- set ns.system = m['content'] -%}{%- endfor -%}")
    message = f"(ns.system if ns.system is not none else {_quoted(own.system_message)})"
    system = _filled(own.system_template, "system_message", message)
    has_system = f"({system}) != ''"
    parts.append(f"{{%- if {has_system} -%}}{_pieces(own.system_template, 'system_message', message)}")
    parts.append(f"{{{{- {_quoted(own.seps[0])} -}}}}{{%- endif -%}}")
    turns = [*own.messages, None]
    for turn in turns:
        parts.append(_turn(own, turn, has_system))
    parts.append(f"{{{{- {_quoted(own.roles['assistant'] + own.role_empty_sep)} -}}}}")
    return "".join(parts)


@dataclasses.dataclass
class _Conversation:
    """The fields of a template, checked."""

    roles: dict[str, str]
    seps: list[str]
    role_templates: dict[str, str]
    messages: list[list[str]]
    system_template: str = "{system_message}"
    system_message: str = ""
    role_content_sep: str = ""
    role_empty_sep: str = ""
    add_role_after_system_message: bool = True

    @staticmethod
    def of(template: Any, place: str) -> _Conversation:
        def wrong(name: str, expected: str) -> TVMError:
            return TVMError(f"{place}: conv_template: `{name}`: expected {expected}, found {template.get(name)!r:.80}")

        if not isinstance(template, Mapping):
            raise TVMError(f"{place}: conv_template: expected an object, found {template!r:.80}")
        texts = lambda value: isinstance(value, dict) and all(isinstance(own, str) for own in value.values())  # noqa: E731
        found: dict[str, Any] = {}
        for field in dataclasses.fields(_Conversation):
            value = template.get(field.name)
            if value is None and field.default is not dataclasses.MISSING:
                continue
            if field.name in ("roles", "role_templates"):
                value = {} if value is None else value
                if not texts(value) or (field.name == "roles" and not {"user", "assistant"} <= set(value)):
                    raise wrong(field.name, "an object of texts, `user` and `assistant` among them")
            elif field.name == "seps":
                if (
                    not isinstance(value, list)
                    or len(value) not in (1, 2)
                    or not all(isinstance(s, str) for s in value)
                ):
                    raise wrong(field.name, "a list of one or two texts")
            elif field.name == "messages":
                value = [] if value is None else value
                pairs = isinstance(value, list) and all(isinstance(own, list) and len(own) == 2 for own in value)
                if not pairs or not all(isinstance(text, str) for own in value for text in own):
                    raise wrong(field.name, "a list of pairs of a role and a text")
            elif not isinstance(value, bool if field.name.startswith("add_") else str):
                raise wrong(field.name, "true or false" if field.name.startswith("add_") else "a text")
            found[field.name] = value
        return _Conversation(**found)


def _quoted(text: str) -> str:
    """A text as a literal of Jinja."""
    return json.dumps(text, ensure_ascii=False)


def _split(template: str, hole: str) -> list[str]:
    return template.split("{" + hole + "}")


def _filled(template: str, hole: str, value: str) -> str:
    """An expression of Jinja: the template with a value in its holes."""
    return f" ~ {value} ~ ".join(_quoted(part) for part in _split(template, hole))


def _pieces(template: str, hole: str, value: str) -> str:
    """The same as output, piece by piece."""
    return f"{{{{- {value} -}}}}".join(f"{{{{- {_quoted(part)} -}}}}" for part in _split(template, hole))


def _turn(own: _Conversation, turn: list[str] | None, has_system: str) -> str:
    """A turn of the template's, or the loop over those of the conversation."""
    role, content = ("m['role']", "m['content']") if turn is None else (_quoted(turn[0]), _quoted(turn[1]))
    parts = ["{%- for m in messages if m['role'] != 'system' -%}"] if turn is None else []
    branches = []
    for name, shown in own.roles.items():
        sep = own.seps[-1] if name == "assistant" else own.seps[0]
        bare = f"ns.first and {has_system}" if not own.add_role_after_system_message else "false"
        head = f"{{%- if not ({bare}) -%}}{{{{- {_quoted(shown + own.role_content_sep)} -}}}}{{%- endif -%}}"
        body = _pieces(own.role_templates.get(name, "{" + name + "_message}"), f"{name}_message", content)
        branches.append(f"if {role} == {_quoted(name)} -%}}{head}{body}{{{{- {_quoted(sep)} -}}}}")
    parts.append("{%- " + "{%- el".join(branches))
    known = ", ".join(own.roles)
    refusal = _quoted(f"a message is of the roles {known}")
    parts.append(f"{{%- else -%}}{{{{- raise_exception({refusal}) -}}}}{{%- endif -%}}{{%- set ns.first = false -%}}")
    parts.extend(["{%- endfor -%}"] if turn is None else [])
    return "".join(parts)


def ends_of(template: Mapping[str, Any], place: str) -> tuple[list[str], list[int], list[int]]:
    """Texts and tokens that end what the model says, and tokens before a conversation, of a template."""
    found: list[Any] = []
    for name, kind in (("stop_str", str), ("stop_token_ids", int), ("system_prefix_token_ids", int)):
        value = template.get(name) or []
        if not isinstance(value, list) or not all(type(own) is kind for own in value):
            raise TVMError(f"{place}: conv_template: `{name}`: expected a list of {kind.__name__}, found {value!r:.80}")
        if kind is int and not all(0 <= own < 1 << 31 for own in value):
            raise TVMError(f"{place}: conv_template: `{name}`: expected numbers of tokens, found {value!r:.80}")
        found.append([own for own in value if own != ""])
    return found[0], found[1], found[2]


_MLC_BLOCKS = re.compile(r"q([34])(?:f16|f32|bf16)_[012]")


def blocks_of_mode(kind: str) -> tuple[int, int] | None:
    """Bits of a code and columns of a group of a mode, as sources name the types of MLC LLM's weights."""
    found = _MLC_BLOCKS.fullmatch(kind)
    return None if found is None else {3: (3, 40), 4: (4, 32)}[int(found[1])]
