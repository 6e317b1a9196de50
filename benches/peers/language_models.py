"""Speed of a language model from a GGUF file, beside llama.cpp where `llama_cpp` can be imported.

    PYTHONPATH=benches python -m peers.language_models MODEL.gguf [--threads 1] [--rounds 5] [--peer PYTHON]
        [--prompts 16 256] [--contexts 16]

Each library runs in a process of its own, and they take turns. A row is a prompt of so many tokens, or one token after
so many; the figure is the median of tokens in a second, and how many times the peer's it is. `--peer` names the Python
that has `llama_cpp`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

PROMPTS = (16, 256, 2048)
CONTEXTS = (16, 1024, 4000)
#: Tokens that are decoded for a figure.
DECODED = 24
CONTEXT = 4096


class Ours:
    def __init__(self, path, _threads):
        from tilewright.llm.commands import open_compiled

        self.model = open_compiled(path, context=CONTEXT)
        self.sequence = None

    def prefill(self, tokens):
        self.sequence = self.model.sequence()
        self.sequence.append(tokens)

    def decode(self, token):
        self.sequence.append([token])


class LlamaCpp:
    def __init__(self, path, threads):
        from llama_cpp import Llama

        self.model = Llama(
            path,
            n_ctx=CONTEXT,
            n_threads=threads,
            n_threads_batch=threads,
            n_batch=512,
            verbose=False,
            logits_all=False,
        )

    def prefill(self, tokens):
        self.model.reset()
        self.model.eval(tokens)

    def decode(self, token):
        self.model.eval([token])


LIBRARIES = {"tilewright": Ours, "llama.cpp": LlamaCpp}


def tokens_of(count):
    return [(at * 7) % 3000 + 300 for at in range(count)]


def serve(library, path, threads):
    """Measures what standard input asks for: a line is a row's name and its number of tokens."""
    runs = LIBRARIES[library](path, threads)
    print("ready", flush=True)
    for line in sys.stdin:
        kind, count = line.split()
        tokens = tokens_of(int(count))
        started = time.perf_counter()
        runs.prefill(tokens)
        seconds = time.perf_counter() - started
        if kind == "decode":
            started = time.perf_counter()
            for token in tokens_of(DECODED):
                runs.decode(token)
            seconds = time.perf_counter() - started
        print(json.dumps((len(tokens) if kind == "prefill" else DECODED) / seconds), flush=True)


def start(library, python, path, threads):
    command = [python, __file__, path, "--threads", str(threads), "--serve", library]
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), TILEWRIGHT_NUM_THREADS=str(threads))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    return process if process.stdout.readline().strip() == "ready" else None


def ask(process, kind, count):
    process.stdin.write(f"{kind} {count}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    return json.loads(line) if line else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", default=sys.executable)
    parser.add_argument("--prompts", type=int, nargs="*", default=PROMPTS)
    parser.add_argument("--contexts", type=int, nargs="*", default=CONTEXTS)
    parser.add_argument("--serve", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.model, options.threads)
        return
    pythons = {"tilewright": sys.executable, "llama.cpp": options.peer}
    running = {name: start(name, python, options.model, options.threads) for name, python in pythons.items()}
    for name in [name for name, process in running.items() if process is None]:
        print(f"{name}: not measured, it does not start")
        del running[name]
    rows = [("prefill", count) for count in options.prompts] + [("decode", count) for count in options.contexts]
    print(f"{'row':16}" + "".join(f"{name:>14}" for name in running) + f"{'ratio':>8}   {options.threads} thread(s)")
    for kind, count in rows:
        figures = {name: [] for name in running}
        for _ in range(options.rounds):
            for name, process in running.items():
                figures[name].append(ask(process, kind, count))
        medians = {name: statistics.median(found) for name, found in figures.items() if None not in found}
        ratio = medians["tilewright"] / medians["llama.cpp"] if len(medians) == 2 else float("nan")
        print(
            f"{kind + ' ' + str(count):16}"
            + "".join(f"{medians.get(n, float('nan')):14.1f}" for n in running)
            + f"{ratio:8.2f}",
            flush=True,
        )
    for process in running.values():
        process.stdin.close()


if __name__ == "__main__":
    main()
