"""Reads a picture with the three networks of `rapidocr-onnxruntime`: where text is, which way up it is, what it says.

    make examples
    .venv-examples/bin/python examples/ocr/read.py [PICTURE]

Without a picture, the program draws one, with a line that is upside down. All three networks take pictures of any size,
and lines of any width: each is compiled once.
"""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import tilewright

LINES = ["Tilewright compiles models", "Any width, one kernel", "Upside down: 180 degrees", "12.5 ms in 2026"]
UPSIDE_DOWN = 2

#: Height of a line for the networks that look at lines, and the width that the second one takes.
LINE_HEIGHT, DIRECTION_WIDTH = 48, 192
#: Mean and standard deviation of the colours that the first network was trained with.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
#: From which probability a pixel belongs to text, and how many of them are a line.
IS_TEXT, SMALLEST = 0.3, 60
#: How much is added around a line: the network was trained on lines that are made smaller by this.
UNCLIP = 1.6


def drawn():
    """A picture with the lines of text."""
    picture = Image.new("RGB", (640, 400), "white")
    font = ImageFont.load_default(32)
    for at, text in enumerate(LINES):
        line = Image.new("RGB", (560, 56), "white")
        ImageDraw.Draw(line).text((8, 6), text, fill="black", font=font)
        picture.paste(line.rotate(180) if at == UPSIDE_DOWN else line, (40, 24 + 90 * at))
    return picture


def text_map(detect, picture):
    """For each pixel, the probability that it is inside of a line of text. Both sides are multiples of 32."""
    width, height = (max(32, round(side / 32) * 32) for side in picture.size)
    pixels = np.asarray(picture.resize((width, height)), "float32") / 255
    pixels = (pixels - np.array(MEAN, "float32")) / np.array(DEVIATION, "float32")
    found = detect(np.ascontiguousarray(pixels.transpose(2, 0, 1)[None]))[0, 0]
    return found, (picture.width / width, picture.height / height)


def regions(mask):
    """The bounds of each connected region, and how many pixels it has: left, top, right, bottom, pixels."""
    found, above = [], []
    for y, row in enumerate(np.pad(mask, ((0, 0), (1, 1))).astype("int8")):
        # Runs of pixels of this row, each in the region of those above that it touches.
        edges = np.flatnonzero(np.diff(row))
        here = []
        for left, right in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            region = [left, y, right, y + 1, right - left]
            for _, _, other in [run for run in above + here if run[0] <= right and left <= run[1]]:
                if other is region:
                    continue
                region = merged(region, other)
                found = [one for one in found if one is not other]
                above = [(*run[:2], region if run[2] is other else run[2]) for run in above]
                here = [(*run[:2], region if run[2] is other else run[2]) for run in here]
            found.append(region)
            here.append((left, right, region))
        above = here
    return found


def merged(a, b):
    return [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]), a[4] + b[4]]


def boxes(found, scale):
    """Rectangles around lines of text, from top to bottom: left, top, right, bottom, in pixels of the picture."""
    boxes = []
    for left, top, right, bottom, pixels in regions(found > IS_TEXT):
        if pixels < SMALLEST:
            continue
        # A polygon grows on all sides by its area over its circumference, times the factor of the training.
        width, height = right - left, bottom - top
        more = UNCLIP * width * height / (2 * (width + height))
        boxes.append(
            (
                max(0, (left - more) * scale[0]),
                max(0, (top - more) * scale[1]),
                (right + more) * scale[0],
                (bottom + more) * scale[1],
            )
        )
    return sorted(boxes, key=lambda box: box[1])


def as_input(line, width=None):
    """A line of text as the networks take it: 48 pixels high, colours from -1 to 1."""
    wanted = max(16, round(line.width * LINE_HEIGHT / line.height))
    if width is not None:
        # Shorter lines are filled up with grey, longer ones squeezed.
        wanted = min(wanted, width)
    pixels = np.asarray(line.resize((wanted, LINE_HEIGHT)), "float32") / 127.5 - 1
    full = np.zeros((LINE_HEIGHT, width or wanted, 3), "float32")
    full[:, :wanted] = pixels
    return np.ascontiguousarray(full.transpose(2, 0, 1)[None])


def upright(direction, line):
    upside_down = direction(as_input(line, DIRECTION_WIDTH))[0, 1]
    return line.rotate(180) if upside_down > 0.9 else line


def text_of(recognise, letters, line):
    """The line as text: the most likely letter of each column, without repetitions and without blanks (letter 0)."""
    scores = recognise(as_input(line))[0]
    best, kept = scores.argmax(1), []
    for at, letter in enumerate(best):
        if letter != 0 and (at == 0 or best[at - 1] != letter):
            kept.append(letters[letter - 1])
    return "".join(kept), float(scores.max(1)[best != 0].mean()) if kept else 0.0


def networks():
    package = find_spec("rapidocr_onnxruntime")
    if package is None:
        raise SystemExit("rapidocr-onnxruntime is not installed: `make examples` installs it into .venv-examples")
    folder = Path(package.origin).parent / "models"
    names = ["ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2.0_cls_infer", "ch_PP-OCRv4_rec_infer"]
    return [tilewright.load(folder / f"{name}.onnx", progress=True) for name in names]


def main():
    started = time.perf_counter()
    detect, direction, recognise = networks()
    print(f"three networks in {time.perf_counter() - started:.2f} s")
    # The letters are part of the file; the last one is the space.
    letters = [*recognise.metadata["character"].splitlines(), " "]
    picture = Image.open(sys.argv[1]).convert("RGB") if len(sys.argv) > 1 else drawn()
    started = time.perf_counter()
    found, texts = boxes(*text_map(detect, picture)), []
    for box in found:
        line = upright(direction, picture.crop([round(side) for side in box]))
        text, score = text_of(recognise, letters, line)
        texts.append(text)
        print(f"  {score:.2f}  {text}")
    print(f"{len(found)} lines in {(time.perf_counter() - started) * 1e3:.0f} ms")
    if len(sys.argv) == 1 and texts != LINES:
        raise SystemExit(f"expected {LINES}")


if __name__ == "__main__":
    main()
