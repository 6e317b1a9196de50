"""The table: every row that `make bench-peers` measures.

A new row is a new line of one of the lists, which `ROWS` joins: a call of the function of its sort, or a `Row` whose
`build` names a module of PyTorch. Operations, bytes, files for other libraries and expected results follow from that
module.

Rows of `FURTHER` are measured only on request by name: `--rows 'vision-*'`. So is every other classifier
of torchvision, in any batch: `--rows vision-densenet161-b4`.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any

import numpy as np

from .row import FileRow, Goal, Input, Row

MEBI = 1 << 20
BEST, FLOOR = "best", "floor"


def linear(m: int, k: int, n: int, goal: Goal, dtype: str = "float32", **options: bool) -> Row:
    """The product of an input and a constant."""
    ending = "".join(f"-{name}" for name in options) + ("-bf16" if dtype == "bfloat16" else "")
    return Row(
        f"linear-{m}x{k}x{n}{ending}",
        "layers:linear",
        (Input((m, k), dtype),),
        {"k": k, "n": n, **options},
        dtype=dtype,
        tolerance=1e-4 if dtype == "float32" else 1e-2,
        goal=goal,
    )


def product(m: int, k: int, n: int, goal: Goal, dtype: str = "float32") -> Row:
    """The product of two inputs."""
    ending = "-bf16" if dtype == "bfloat16" else ""
    inputs = (Input((m, k), dtype), Input((k, n), dtype))
    tolerance = 1e-4 if dtype == "float32" else 1e-2
    name = f"matmul-{m}x{k}x{n}{ending}"
    return Row(name, "layers:Product", inputs, dtype=dtype, tolerance=tolerance, goal=goal)


def memory(name: str, build: str, megabytes: int, least: float, arguments: int = 1) -> Row:
    """A row whose time is that of its traffic: arguments of the given megabytes each, of 1024 numbers in a row."""
    shape = (megabytes * MEBI // 4096, 1024)
    options = {"width": 1024} if build == "layers:layer_norm" else {}
    inputs = (Input(shape),) * arguments
    return Row(f"{name}-{megabytes}MB", build, inputs, options, goal=Goal(FLOOR, least), group="memory")


CUBES = (512, 1024, 2048, 4096)

PRODUCTS = [
    *[linear(n, n, n, Goal(FLOOR, 0.88)) for n in CUBES],
    linear(128, 3072, 768, Goal(FLOOR, 0.88)),
    *[linear(n, n, n, Goal(FLOOR, 0.88), bias=True, gelu=True) for n in CUBES],
    linear(128, 3072, 768, Goal(FLOOR, 0.88), bias=True, gelu=True),
    *[product(n, n, n, Goal(BEST, 0.97)) for n in CUBES],
    product(128, 3072, 768, Goal(BEST, 0.97)),
    linear(4, 4096, 4096, Goal("torch", 2.0)),
    linear(16, 4096, 4096, Goal("torch", 2.0)),
    linear(64, 4096, 4096, Goal("torch", 1.2)),
    linear(1, 4096, 4096, Goal(FLOOR, 0.95)),
    *[linear(n, n, n, Goal(BEST, 0.93), "bfloat16") for n in (1024, 2048, 4096)],
    *[product(n, n, n, Goal(BEST, 0.93), "bfloat16") for n in (1024, 2048, 4096)],
]

MEMORY = [
    row
    for size in (16, 256)
    for row in (
        memory("softmax", "layers:Softmax", size, 0.9),
        memory("layer-norm", "layers:layer_norm", size, 0.9),
        memory("gelu", "layers:Gelu", size, 0.9),
        memory("add", "layers:Add", size, 0.9, arguments=2),
        memory("concat", "layers:Concat", size, 0.9, arguments=2),
        memory("transpose", "layers:Transpose", size, 0.7),
    )
]

CALLS = [
    Row(
        "mlp-784-128-10",
        "layers:MLP",
        (Input((1, 784)),),
        {"width": 784, "hidden": 128, "classes": 10},
        goal=Goal("onnxruntime", 1 / 0.7),
        group="calls",
    ),
]


def random_rows(count: int, seed: int) -> list[Row]:
    """Unseen shapes: sizes are drawn evenly by their logarithm, and the layers in turn."""
    random = np.random.default_rng(seed)

    def size(low: int, high: int) -> int:
        return int(math.exp(random.uniform(math.log(low), math.log(high + 1))))

    def draw(number: int) -> Row:
        name, goal = f"random-{number:02}", Goal(BEST, 0.75)
        m, k, n, batch = size(1, 2048), size(16, 3072), size(16, 3072), size(2, 16)
        kind = number % 10
        if kind in (0, 1, 2):
            options = {"k": k, "n": n, "bias": kind > 0, "gelu": kind > 1}
            return Row(name, "layers:linear", (Input((m, k)),), options, goal=goal, group="random")
        build, inputs, options = {
            3: ("layers:Product", (Input((m, k)), Input((k, n))), {}),
            4: ("layers:Product", (Input((batch, m // 4 + 1, k // 4 + 1)), Input((batch, k // 4 + 1, n // 4 + 1))), {}),
            5: ("layers:Softmax", (Input((batch, m, k)),), {}),
            6: ("layers:layer_norm", (Input((batch, m, k)),), {"width": k}),
            7: ("layers:Gelu", (Input((batch, m, k)),), {}),
            8: ("layers:Concat", (Input((m, k)), Input((m, n))), {}),
            9: ("layers:Transpose", (Input((batch, m, k)),), {}),
        }[kind]
        return Row(name, build, inputs, options, goal=goal, group="random")

    return [draw(number) for number in range(count)]


RANDOM = random_rows(50, int(os.environ.get("TILEWRIGHT_BENCH_SEED", "1")))


def model(name: str, build: str, inputs: tuple[Input, ...], **options: Any) -> Row:
    """A whole model; its results have gone through many layers, each of which rounds."""
    settings = {"goal": Goal(BEST, 0.97), "group": "models", "tolerance": 1e-3} | options
    return Row(name, build, inputs, **settings)


def bert(name: str, batch: int, length: int | str, sizes: dict[str, int] | None = None) -> Row:
    shape = (batch, length)
    inputs = (Input(shape, "int64", below=30522), Input(shape, "int64", below=2), Input(shape, "int64", below=2))
    return model(name, "torch_models.bert:Bert", inputs, ours="nn_models.bert:Bert", sizes=sizes or {})


def llama(name: str, batch: int, length: int, past: int) -> Row:
    """A block of a Llama that has seen `past` tokens before."""
    angles, cache = Input((length, 64)), Input((batch, 4, past, 64))
    inputs = (Input((batch, length, 2048)), angles, angles, *((cache, cache) if past else ()))
    ours = "nn_models.llama:Decode" if past else "nn_models.llama:Prefill"
    return model(name, "torch_models.llama:Block", inputs, ours=ours)


def vision(name: str, batch: int, goal: Goal, prefix: str = "") -> Row:
    """A classifier of torchvision, on images of the size that it is made for."""
    side = 299 if name == "inception_v3" else 224
    image = (Input((batch, 3, side, side)),)
    return model(
        f"{prefix}{name}-b{batch}", "torch_models.vision:network", image, arguments={"name": name}, ours="fx", goal=goal
    )


MODELS = [
    row
    for batch in (1, 8)
    for row in (
        bert(f"bert-base-128-b{batch}", batch, 128),
        bert(f"bert-base-sym37-b{batch}", batch, "length", {"length": 37}),
        bert(f"bert-base-sym384-b{batch}", batch, "length", {"length": 384}),
        model(
            f"gpt2-128-b{batch}",
            "torch_models.gpt2:Gpt2",
            (Input((batch, 128), "int64", below=50257),),
            ours="nn_models.gpt2:Gpt2",
        ),
        llama(f"llama-prefill256-b{batch}", batch, 256, 0),
        llama(f"llama-decode1-b{batch}", batch, 1, 255),
        model(
            f"lstm-step-b{batch}",
            "torch_models.lstm:Step",
            (Input((batch, 1024)),) * 3,
            arguments={"width": 1024, "hidden": 1024},
            ours="nn_models.lstm:Step",
        ),
        vision("vit_b_16", batch, Goal(BEST, 0.97)),
        vision("resnet50", batch, Goal(BEST, 0.6)),
        vision("mobilenet_v2", batch, Goal(BEST, 0.6)),
    )
]

NETWORKS = [
    "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "googlenet", "inception_v3", "maxvit_t",
    "mnasnet1_0", "mobilenet_v3_large", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_400mf", "resnet18",
    "resnext50_32x4d", "shufflenet_v2_x1_0", "squeezenet1_1", "swin_t", "vgg11_bn", "wide_resnet50_2",
]  # fmt: skip

ROWS: dict[str, Row] = {row.name: row for row in (*PRODUCTS, *MEMORY, *CALLS, *MODELS, *RANDOM)}
FURTHER: dict[str, Row] = {
    row.name: row for row in (vision(name, 1, Goal(BEST, 0.6), prefix="vision-") for name in NETWORKS)
}


# The names of the classifiers of torchvision, with the batch.
CLASSIFIER = re.compile(r"vision-(\w+)-b([1-9]\d*)")


def row_of(name: str) -> Row:
    """The row of that name, or of that ONNX file."""
    if name.endswith(".onnx"):
        return FileRow(name, "", ())
    asked = CLASSIFIER.fullmatch(name)
    return vision(asked[1], int(asked[2]), Goal(BEST, 0.6), prefix="vision-") if asked else ROWS[name]
