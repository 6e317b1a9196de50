#!/usr/bin/env python3
"""Compares tilewright-text with Python's `tokenizers`, `sentencepiece` and `transformers` on many inputs.

    cargo build --release -p tilewright-text --example text_lines
    python scripts/text_compare.py --count 100000 PATH...

Each PATH is a `tokenizer.json` (as it is, and with `--pre NAME` also as the vocabulary that a GGUF file would hold), a
SentencePiece model (`*.model`), or a `*.jinja` chat template. Needs those packages; downloads nothing.
"""

import argparse
import datetime
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target"
RANGES = [
    (0x20, 0x7E),
    (0x20, 0x7E),
    (0xA0, 0x24F),
    (0x370, 0x5FF),
    (0x600, 0x7BF),
    (0x900, 0xDFF),
    (0xE00, 0x109F),
    (0x10A0, 0x13FF),
    (0x1E00, 0x206F),
    (0x20A0, 0x2BFF),
    (0x3000, 0x30FF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xFB00, 0xFDCF),
    (0xFE00, 0xFFFD),
    (0x1D400, 0x1D7FF),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x2A6DF),
    (0x0, 0x10FFFF),
]
WORDS = [
    *["the", "of", "and", "in", "is", "it's", "don't", "I'LL", "we've", "straße", "naïve", "東京", "привет", "مرحبا"],
    *["नमस्ते", "안녕", "fn", "main()", "{}", "==", "->", "😀", "👩\u200d👩\u200d👧\u200d👦", "🇫🇷", "e\u0301"],
]
SPACES = [" ", "  ", "\n", "\r\n", "\t", " \n ", "\u00a0", "\u3000", "\u200b", "      ", "\n\n\n"]


def character(rng):
    """A character of one of the ranges."""
    low, high = rng.choice(RANGES)
    code = rng.randint(low, high)
    return chr(code) if not 0xD800 <= code <= 0xDFFF else "?"


def sample(rng, special):
    """A text of one of several kinds: one script, words, numbers, spaces, broken UTF-8, texts of special tokens."""
    kind = rng.randrange(7)
    size = rng.randint(0, 40)
    if kind == 0:
        low, high = rng.choice(RANGES)
        return "".join(chr(c) for c in (rng.randint(low, high) for _ in range(size)) if not 0xD800 <= c <= 0xDFFF)
    if kind == 1:
        return "".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(size // 2))
    if kind == 2:
        return "".join(rng.choice("0123456789 .,-+eE٣४") for _ in range(size))
    if kind == 3:
        return "".join(rng.choice(SPACES) * rng.randint(1, 9) + character(rng) for _ in range(size // 4))
    if kind == 4:
        return bytes(rng.randrange(256) for _ in range(size)).decode("utf-8", "replace")
    if kind == 5:
        return "".join(rng.choice([*special, *WORDS, " ", "\n"]) for _ in range(size // 4))
    return "".join(character(rng) for _ in range(size))


def ask(form, file, lines):
    """The answers of the Rust crate to lines of JSON."""
    programs = [TARGET / profile / "examples/text_lines" for profile in ("release", "suite", "debug")]
    program = next((p for p in programs if p.exists()), None)
    if program is None:
        sys.exit("build the example `text_lines` of tilewright-text first")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([program, form, file], input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{file}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


def report(name, texts, want, got):
    """Prints how many answers agree, in each of their parts, and the first that do not."""
    parts = ["ids", "ids with control tokens", "decoded"]
    bad = [
        [i for i, (w, g) in enumerate(zip(want, got, strict=True)) if not isinstance(g, list) or w[p] != g[p]]
        for p in range(3)
    ]
    print(
        name,
        ", ".join(f"{part}: {len(texts) - len(b)}/{len(texts)}" for part, b in zip(parts, bad, strict=True)),
        flush=True,
    )
    for part, wrong in zip(range(3), bad, strict=True):
        for i in wrong[:2]:
            print("   ", ascii(texts[i][:120]), "\n      want", ascii(str(want[i][part]))[:300])
            print("      got ", ascii(str(got[i][part] if isinstance(got[i], list) else got[i]))[:300])
    return any(bad)


def judge_of(path):
    """The tokenizer of `tokenizers`, without the file's truncation and padding."""
    from tokenizers import Tokenizer

    judge = Tokenizer.from_file(str(path))
    judge.no_truncation()
    judge.no_padding()
    return judge


def expected(judge, texts, ends):
    """What `tokenizers` gives for every text: plain ids, ids with control tokens, the decoded text."""
    judge.encode_special_tokens = True
    plain = [e.ids for e in judge.encode_batch_fast(texts, add_special_tokens=False)]
    judge.encode_special_tokens = False
    markup = [e.ids for e in judge.encode_batch_fast(texts, add_special_tokens=ends)]
    return [list(x) for x in zip(plain, markup, judge.decode_batch(plain, skip_special_tokens=False), strict=True)]


def vocabulary(path, pre):
    """A `tokenizer.json` as the lists of a GGUF file. SentencePiece's scores order tokens as their merges do."""
    file = json.loads(Path(path).read_text())
    model = file["model"]
    added = {t["id"]: (t["content"], 3 if t["special"] else 4) for t in file["added_tokens"]}
    names = {i: t for t, i in model["vocab"].items()}
    size = 1 + max([*names, *added])
    tokens = [added.get(i, (names.get(i, f"[PAD{i}]"), 0))[0] for i in range(size)]
    types = [added[i][1] if i in added else 1 if i in names else 5 for i in range(size)]
    spm = pre == "spm"
    if spm:
        types = [6 if t.startswith("<0x") and len(t) == 6 and k == 1 else k for t, k in zip(tokens, types, strict=True)]
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    stages = (file.get("normalizer") or {}).get("normalizers") or [{}]
    rank = {}
    for index, merge in enumerate(merges):
        rank.setdefault(merge.replace(" ", ""), index)
    return {
        "model": "llama" if spm else "gpt2",
        "pre": None if spm else pre,
        "tokens": tokens,
        "token_types": types,
        "merges": [] if spm else merges,
        "scores": [-rank.get(token, len(merges)) for token in tokens] if spm else [],
        "unk": model["vocab"].get(model.get("unk_token")),
        "add_bos": False,
        "add_space_prefix": stages[0].get("type") == "Prepend",
    }


def compare_json(path, pre, texts):
    """Compares a `tokenizer.json`; true where something differs."""
    judge = judge_of(path)
    wrong = report(str(path), texts, expected(judge, texts, True), ask("json", path, texts))
    if pre:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(vocabulary(path, pre), file)
            file.flush()
            got = ask("vocabulary", file.name, texts)
        wrong |= report(f"{path} as the vocabulary of {pre}", texts, expected(judge, texts, False), got)
    return wrong


def compare_sentencepiece(path, texts):
    """Compares a SentencePiece model; true where something differs."""
    import sentencepiece

    judge = sentencepiece.SentencePieceProcessor(model_file=str(path))
    got = ask("sentencepiece", path, texts)
    ids = judge.encode(texts)
    # Neither control tokens nor ends are sentencepiece's business in encoding.
    want = [[i, g[1] if isinstance(g, list) else None, judge.decode(i)] for i, g in zip(ids, got, strict=True)]
    return report(str(path), texts, want, got)


CHATS = [
    [{"role": "user", "content": "Hello"}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " What is 2 + 2?\n"}],
    [
        {"role": "user", "content": "a<b & \"c\" 'd'"},
        {"role": "assistant", "content": "ok <think>x</think> y "},
        {"role": "user", "content": "größer 東京 😀"},
    ],
    [{"role": "user", "content": "u1"}, {"role": "user", "content": "u2"}],
    [{"role": "user", "content": [{"type": "text", "text": "parts"}]}],
    [{"role": "assistant", "content": "first"}],
    [],
    [
        {"role": "user", "content": "weather?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "type": "function",
                    "id": "call00001",
                    "function": {"name": "get", "arguments": {"city": "Köln", "n": 1.5e20, "ok": True, "no": None}},
                }
            ],
        },
        {"role": "tool", "name": "get", "tool_call_id": "call00001", "content": '{"t": 20}'},
    ],
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get",
            "description": "Gets <it> & 'more'",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Größe"},
                    "n": {"type": "number", "default": 1e-07},
                },
                "required": ["city"],
            },
        },
    }
]


def compare_template(path):
    """Compares the renderings of a chat template; true where something differs."""
    from transformers.utils.chat_template_utils import _compile_jinja_template

    source = Path(path).read_text()
    compiled = _compile_jinja_template(source)
    cases = []
    for chat in CHATS:
        for tools in (None, TOOLS):
            for prompt in (False, True):
                for extra in ({}, {"enable_thinking": False}):
                    cases.append(
                        {
                            "messages": chat,
                            "tools": tools,
                            "documents": None,
                            "add_generation_prompt": prompt,
                            "variables": extra,
                        }
                    )
    bad, raised = [], 0
    roles = {"bos_token": "<s>", "eos_token": "</s>"}
    now = 1_700_000_000
    clock = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime
    got = ask("template", path, [{**case, **roles, "now_s": now} for case in cases])
    for case, answer in zip(cases, got, strict=True):
        try:
            fields = {k: v for k, v in case.items() if k != "variables"}
            want = compiled.render(**fields, **case["variables"], **roles, strftime_now=clock)
        except Exception as error:  # Whatever the template raises: ours must fail too.
            raised += 1
            want = error
        same = isinstance(answer, dict) if isinstance(want, Exception) else answer == want
        if not same:
            bad.append((case, want, answer))
    print(f"{path} prompts: {len(cases) - len(bad)}/{len(cases)}, of which {raised} errors", flush=True)
    for case, want, answer in bad[:2]:
        print(
            "   ",
            ascii(json.dumps(case, ensure_ascii=False))[:200],
            "\n      want",
            ascii(str(want))[-300:],
            "\n      got ",
            ascii(str(answer))[-300:],
        )
    return bool(bad)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--count", type=int, default=10_000, help="texts for each tokenizer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pre", help="also as the vocabulary with this pre-tokenizer, `spm` for SentencePiece")
    options = parser.parse_args()
    wrong = False
    for path in options.paths:
        if path.endswith(".jinja"):
            wrong |= compare_template(path)
            continue
        rng = random.Random(options.seed)
        special = ["<s>", "</s>", "[INST]"]
        if path.endswith(".json"):
            special = [t["content"] for t in json.loads(Path(path).read_text())["added_tokens"]][:200] or special
        texts = [sample(rng, special) for _ in range(options.count)]
        wrong |= (
            compare_sentencepiece(path, texts) if path.endswith(".model") else compare_json(path, options.pre, texts)
        )
    sys.exit(wrong)


if __name__ == "__main__":
    main()
