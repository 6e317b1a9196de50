"""`tilewright llm …`: the steps of MLC LLM (`convert-weight`, `gen-config`, `compile`), and questions about a model."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..error import TVMError
from .bench import measure
from .check import architectures_of, check
from .compile import CACHE_TYPES, compile_model
from .fit import expect
from .loader import open_model
from .mlc import CONVERSATIONS, CONVERTED, convert_weight, gen_config
from .model import ARCHITECTURES
from .quantization.quantize import MODES
from .report import judge
from .starter import starter_file
from .tokenizer import open_tokenizer

__all__ = ["add_verbs"]

#: Bytes of a text that is read for a report at most.
MAX_TEXT_BYTES = 1 << 24


def add_verbs(commands: Any) -> None:
    """Adds `llm` with its verbs to the commands."""
    llm = commands.add_parser("llm", help="convert, compile and judge language models")
    verbs = llm.add_subparsers(required=True, metavar="VERB")
    for add in (_add_convert, _add_gen_config, _add_compile, _add_quantize, _add_check, _add_fit, _add_bench, _add_new):
        add(verbs)


def _verb(verbs: Any, name: str, run: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
    parser.set_defaults(run=run)
    return parser


def _add_convert(verbs: Any) -> None:
    parser = _verb(verbs, "convert-weight", _convert, "write the weights of a model as MLC LLM has them")
    parser.add_argument("config", help="a folder of Hugging Face or its config.json, or a GGUF file")
    parser.add_argument("--quantization", required=True, choices=list(CONVERTED), help="how weights are stored")
    parser.add_argument("--rounding", choices=["even", "away"], default="even", help="of halves (even)")
    parser.add_argument("--source", default=None, help="the folder of the weights (that of config)")
    parser.add_argument("--device", default="auto", help="taken and not needed: weights are converted on the processor")
    parser.add_argument("--model-type", default="auto", help="taken and not needed: config.json says it")
    parser.add_argument("--source-format", default="auto", help="taken and not needed: the files say it")
    parser.add_argument("-o", "--output", required=True, help="the folder for ndarray-cache.json and its shards")


def _convert(options: argparse.Namespace) -> int:
    path = Path(options.source) if options.source not in (None, "auto") else Path(options.config)
    path = path.parent if path.name == "config.json" else path
    said = convert_weight(path, Path(options.output), options.quantization, options.rounding, _show)
    size = said["ParamBytes"] / 2**20
    print(
        f"{said['ParamSize']} tensors, {size:.1f} MiB, {said['BitsPerParam']:.3f} bits for a weight: {options.output}"
    )
    return 0


def _add_gen_config(verbs: Any) -> None:
    parser = _verb(verbs, "gen-config", _gen_config, "write mlc-chat-config.json and the files of the tokenizer")
    parser.add_argument("config", help="a folder of Hugging Face or its config.json")
    parser.add_argument("--quantization", required=True, choices=list(CONVERTED), help="how weights are stored")
    parser.add_argument(
        "--conv-template", required=True, metavar="NAME|FILE",
        help=f"the template of conversations: {', '.join(CONVERSATIONS)}, or a file with one",
    )  # fmt: skip
    for name in SIZES:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help="as the model says, unless it is given")
    parser.add_argument("--model-type", default="auto", help="taken and not needed: config.json says it")
    parser.add_argument("-o", "--output", required=True, help="the folder")


#: Sizes that `gen-config` takes.
SIZES = (
    "context_window_size", "sliding_window_size", "prefill_chunk_size", "attention_sink_size",
    "tensor_parallel_shards", "max_batch_size",
)  # fmt: skip


def _gen_config(options: argparse.Namespace) -> int:
    sizes = {name: getattr(options, name) for name in SIZES}
    wrong = next((name for name, size in sizes.items() if size is not None and size < 1), None)
    if wrong is not None:
        raise TVMError(f"--{wrong.replace('_', '-')}: expected a number above 0, found {sizes[wrong]}")
    gen_config(Path(options.config), Path(options.output), options.quantization, options.conv_template, **sizes)
    print(f"{Path(options.output) / 'mlc-chat-config.json'}")
    return 0


def _add_compile(verbs: Any) -> None:
    parser = _verb(verbs, "compile", _compile, "compile a model into a folder")
    parser.add_argument(
        "model", help="a GGUF file, or a folder of Hugging Face or MLC LLM, or its mlc-chat-config.json"
    )
    parser.add_argument("--quantization", choices=["none", *MODES], default="q8_0", help="of float weights (q8_0)")
    parser.add_argument("--activations", choices=["int8", "exact"], default="int8", help="in products (int8)")
    parser.add_argument("--context", type=int, help="the longest sequence in tokens")
    parser.add_argument("--device", default="auto", help="taken and not needed: models are compiled for this processor")
    parser.add_argument("--model-lib", help="another name for --output")
    parser.add_argument("-o", "--output", help="the folder")


def _compile(options: argparse.Namespace) -> int:
    output = options.output or options.model_lib
    if output is None:
        raise TVMError("--output: expected the folder for the compiled model")
    path = Path(options.model)
    path = path.parent if path.name == "mlc-chat-config.json" else path
    compile_model(
        path, output, context_window_size=options.context,
        quantization=None if options.quantization == "none" else options.quantization,
        activations=options.activations, progress=_show,
    )  # fmt: skip
    _show("")
    print(output)
    return 0


def _add_fit(verbs: Any) -> None:
    parser = _verb(verbs, "fit", _fit, "say what memory and speed to expect of a model, before it is compiled")
    parser.add_argument("model", help="a GGUF file, or a folder of Hugging Face or MLC LLM")
    parser.add_argument("--quantization", choices=["none", *MODES], default="q8_0", help="of float weights (q8_0)")
    parser.add_argument("--context", type=int, help="the longest sequence in tokens (as the model says)")
    parser.add_argument("--cache-type", choices=[*CACHE_TYPES], default="f16", help="of keys and values (f16)")
    parser.add_argument("--json", action="store_true", help="print one object")


def _fit(options: argparse.Namespace) -> int:
    quantization = None if options.quantization == "none" else options.quantization
    found = expect(open_model(options.model, options.context), quantization, options.cache_type)
    print(json.dumps(found.as_dict()) if options.json else str(found))
    return 0 if found.fits else 1


def _add_quantize(verbs: Any) -> None:
    parser = _verb(verbs, "quantize", _quantize, "say what a quantisation of float weights costs")
    parser.add_argument("model", help="a folder of Hugging Face, or a GGUF file, with float weights")
    parser.add_argument("--to", required=True, choices=list(MODES), help="how weights are quantised")
    parser.add_argument("--activations", choices=["int8", "exact"], default="int8", help="in products (int8)")
    parser.add_argument("--report", metavar="FILE", required=True, help="a text that both models read")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("-o", "--output", help="a folder for the compiled model")


def _quantize(options: argparse.Namespace) -> int:
    path, text = Path(options.model), Path(options.report)
    if not text.is_file() or text.stat().st_size > MAX_TEXT_BYTES:
        raise TVMError(f"{text}: expected a text of {MAX_TEXT_BYTES} bytes at most")
    source = open_model(path)
    metadata = source.metadata if source.format == "gguf" else None
    tokenizer = open_tokenizer(path if path.is_dir() else path.parent, metadata)
    said = text.read_text(encoding="utf-8")
    found = judge(path, options.to, said, tokenizer, options.activations, _show)
    if options.output is not None:
        compile_model(
            path, options.output, quantization=options.to, activations=options.activations, progress=_show
        )  # fmt: skip
        _show("")
    print(json.dumps(found.as_dict()) if options.json else found.text())
    return 0


def _add_check(verbs: Any) -> None:
    parser = _verb(verbs, "check", _check, "compare a model layer by layer with transformers")
    parser.add_argument("model", help="a folder of Hugging Face")
    parser.add_argument("--architecture", metavar="FILE", help="a file of Python that defines the model's architecture")
    parser.add_argument("--json", action="store_true", help="print one object")


def _check(options: argparse.Namespace) -> int:
    path = options.architecture
    own = [] if path is None else architectures_of(Path(path))
    found = check(Path(options.model), progress=_show, architectures=(*own, *ARCHITECTURES))
    first = next((one.name for one in found if one.differs), None)
    if options.json:
        print(json.dumps({"first_difference": first, "tensors": {one.name: one.difference for one in found}}))
    else:
        print("\n".join(f"{one.difference:10.2e}  {one.name}{'  differs' * one.differs}" for one in found))
        print("all tensors agree" if first is None else f"the first tensor that differs: {first}")
    return 0 if first is None else 1


def _add_bench(verbs: Any) -> None:
    parser = _verb(verbs, "bench", _bench, "measure the speed of a model")
    parser.add_argument("model", help="a GGUF file, or a folder of Hugging Face or MLC LLM")
    parser.add_argument("--quantization", choices=["none", *MODES], default="q8_0", help="of float weights (q8_0)")
    parser.add_argument("--activations", choices=["int8", "exact"], default="int8", help="in products (int8)")
    parser.add_argument("--prompt", type=int, action="append", help="tokens of a prompt; may be given again (256)")
    parser.add_argument("--tokens", type=int, default=64, help="that are generated (64)")
    parser.add_argument("--runs", type=int, default=5, help="of which the median is taken (5)")
    parser.add_argument("--json", action="store_true", help="print one object")


def _bench(options: argparse.Namespace) -> int:
    from .commands import open_compiled

    quantization = None if options.quantization == "none" else options.quantization
    model = open_compiled(
        options.model, quantization=quantization, activations=options.activations, progress=_show
    )  # fmt: skip
    found = [measure(model, size, options.tokens, options.runs, _show) for size in options.prompt or [256]]
    if options.json:
        print(json.dumps([one.as_dict() for one in found]))
    else:
        print("\n".join(map(str, found)))
    return 0


def _add_new(verbs: Any) -> None:
    parser = _verb(verbs, "new", _new, "write the first file of an architecture")
    parser.add_argument("name", help="of the architecture, as a Python name")
    parser.add_argument("--from", dest="config", required=True, metavar="CONFIG", help="a config.json of such a model")
    parser.add_argument("-o", "--output", help="the file (NAME.py)")


def _new(options: argparse.Namespace) -> int:
    file = Path(options.output or f"{options.name}.py")
    if file.exists():
        raise TVMError(f"{file}: there is such a file already")
    file.write_text(starter_file(options.name, Path(options.config)), encoding="utf-8")
    print(file)
    return 0


def _show(message: str) -> None:
    """Progress on one line of a terminal; elsewhere in lines, without those that count."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
    elif message and not re.search(r"\d of \d", message):
        print(message, file=sys.stderr)
