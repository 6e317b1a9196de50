"""Makes the files in `data/`: the test images of the demo and the weights of its network.

The pictures are scikit-learn's bundled handwritten digits (1797 pictures of 8×8 pixels with 17 grey levels), scaled to
the 28×28 of MNIST. One picture in five is kept for testing and never seen in training. The network is 784-128-10 with
a relu between, trained with Adam on the cross entropy of its softmax; the pictures are shifted by up to two pixels
while training.

Only whoever changes the data runs this: `pip install scikit-learn`, then `python examples/digits/train.py`. The same
versions of NumPy and scikit-learn give the same files.
"""

from __future__ import annotations

from pathlib import Path

import idx
import numpy as np
from sklearn.datasets import load_digits

DATA = Path(__file__).parent / "data"
SIDE = 28
HIDDEN = 128
CLASSES = 10


def scale(pictures: np.ndarray) -> np.ndarray:
    """Pictures (n, 8, 8) with values 0..16 to uint8 (n, 28, 28) with values 0..255, bilinear, borders of black."""
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1)))
    at = np.linspace(0.5, padded.shape[1] - 1.5, SIDE)
    low = at.astype(int)
    part = (at - low).astype(np.float64)
    rows = padded[:, low] * (1 - part)[:, None] + padded[:, low + 1] * part[:, None]
    both = rows[:, :, low] * (1 - part) + rows[:, :, low + 1] * part
    return np.rint(both * (255 / 16)).clip(0, 255).astype(np.uint8)


def shift(rng: np.random.Generator, batch: np.ndarray) -> np.ndarray:
    """Each picture of the batch (n, 28, 28) moved by up to two pixels in each direction."""
    padded = np.pad(batch, ((0, 0), (2, 2), (2, 2)))
    moves = rng.integers(0, 5, (len(batch), 2))
    return np.stack([p[dy : dy + SIDE, dx : dx + SIDE] for p, (dy, dx) in zip(padded, moves, strict=True)])


def forward(params: dict[str, np.ndarray], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hidden layer after its relu, and the scores, for rows x (n, 784)."""
    hidden = np.maximum(x @ params["w0"].T + params["b0"], 0)
    return hidden, hidden @ params["w1"].T + params["b1"]


def gradients(params: dict[str, np.ndarray], x: np.ndarray, label: np.ndarray) -> dict[str, np.ndarray]:
    """The gradient of the mean cross entropy over the rows x (n, 784)."""
    hidden, scores = forward(params, x)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    d_scores = weights / weights.sum(axis=1, keepdims=True)
    d_scores[np.arange(len(label)), label] -= 1
    d_scores /= len(label)
    d_hidden = (d_scores @ params["w1"]) * (hidden > 0)
    return {"w0": d_hidden.T @ x, "b0": d_hidden.sum(0), "w1": d_scores.T @ hidden, "b1": d_scores.sum(0)}


def train(images: np.ndarray, labels: np.ndarray, epochs: int = 60, batch: int = 32) -> dict[str, np.ndarray]:
    """Weights (float32) fitted with Adam to images (n, 28, 28) with values 0..1."""
    rng = np.random.default_rng(0)
    params = {
        "w0": rng.standard_normal((HIDDEN, SIDE * SIDE)) * (2 / (SIDE * SIDE)) ** 0.5,
        "b0": np.zeros(HIDDEN),
        "w1": rng.standard_normal((CLASSES, HIDDEN)) * (1 / HIDDEN) ** 0.5,
        "b1": np.zeros(CLASSES),
    }
    mean = {k: np.zeros_like(v) for k, v in params.items()}
    square = {k: np.zeros_like(v) for k, v in params.items()}
    step = 0
    for epoch in range(epochs):
        rate = 1e-3 * (1 - epoch / epochs)
        order = rng.permutation(len(images))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            x = shift(rng, images[chosen]).reshape(len(chosen), -1)
            step += 1
            for k, g in gradients(params, x, labels[chosen]).items():
                mean[k] += 0.1 * (g - mean[k])
                square[k] += 0.001 * (g * g - square[k])
                params[k] -= rate * (mean[k] / (1 - 0.9**step)) / (np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8)
    return {k: v.astype(np.float32) for k, v in params.items()}


def main() -> None:
    digits = load_digits()
    images, labels = scale(digits.images), digits.target.astype(np.uint8)
    order = np.random.default_rng(2024).permutation(len(images))
    test, rest = np.sort(order[: len(order) // 5]), np.sort(order[len(order) // 5 :])
    params = train(images[rest] / 255, labels[rest].astype(int))
    right = forward(params, (images[test] / 255).astype(np.float32).reshape(len(test), -1))[1].argmax(1) == labels[test]
    DATA.mkdir(exist_ok=True)
    idx.write(DATA / "test-images-idx3-ubyte.gz", images[test])
    idx.write(DATA / "test-labels-idx1-ubyte.gz", labels[test])
    np.savez(DATA / "weights.npz", **params)
    print(f"{len(rest)} pictures for training, {len(test)} for testing, {right.mean():.2%} of those right")
    for path in sorted(DATA.iterdir()):
        print(f"{path.name:28} {path.stat().st_size:>8} bytes")


if __name__ == "__main__":
    main()
