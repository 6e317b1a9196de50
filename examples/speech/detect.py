"""Finds speech in a recording with the network of `silero-vad`, whose states go from one piece to the next.

    make examples
    .venv-examples/bin/python examples/speech/detect.py [RECORDING.wav]

The recording has one channel of 16-bit samples, 16,000 a second. Without one, the program speaks itself: vowels as a
pulse train through resonances of the vocal tract, and noise for consonants, in a quiet room.
"""

import sys
import time
import wave
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import tilewright

RATE = 16_000
#: Samples that the network sees at once, and those in front of them.
PIECE, CONTEXT = 512, 64
#: The probability from which a piece is speech, and the pieces without it that end a segment.
THRESHOLD, PAUSE = 0.5, 6

#: Vowels by the frequencies (Hz) of their first three resonances.
VOWELS = {"a": (730, 1090, 2440), "e": (530, 1840, 2480), "i": (270, 2290, 3010), "o": (570, 840, 2410)}
#: The bandwidths (Hz) of the resonances.
BANDWIDTHS = (80, 100, 120)


def resonate(x, frequency, bandwidth):
    """The signal through a filter with two poles."""
    radius = np.exp(-np.pi * bandwidth / RATE)
    first, second = 2 * radius * np.cos(2 * np.pi * frequency / RATE), -(radius**2)
    y, last, before = np.empty_like(x), 0.0, 0.0
    for at, sample in enumerate(x):
        last, before = sample + first * last + second * before, last
        y[at] = last
    return y


def vowel(name, rng):
    """A vowel of 0.16 seconds, with a voice of about 130 Hz."""
    count = int(0.16 * RATE)
    pitch = 130 * (1 + 0.1 * rng.standard_normal() + 0.1 * np.sin(2 * np.pi * 3 * np.arange(count) / RATE))
    # One pulse for each vibration of the vocal cords, and some breath.
    x = np.diff(np.floor(np.cumsum(pitch) / RATE), prepend=0) + 0.01 * rng.standard_normal(count)
    for frequency, bandwidth in zip(VOWELS[name], BANDWIDTHS, strict=True):
        x = resonate(x, frequency, bandwidth)
    x *= np.sqrt(np.sin(np.pi * np.arange(count) / count))
    return 0.5 * x / np.abs(x).max()


def spoken(text, rng):
    """Sounds, one for each letter: vowels, `s`, and short pauses for anything else."""
    parts = []
    for letter in text:
        if letter in VOWELS:
            parts.append(vowel(letter, rng))
        elif letter == "s":
            parts.append(0.08 * rng.standard_normal(int(0.07 * RATE)))
        else:
            parts.append(np.zeros(RATE // 20))
    return np.concatenate(parts)


def own_recording():
    """Two utterances with a second of silence around each, and where they are (seconds)."""
    rng, silence = np.random.default_rng(0), np.zeros(RATE)
    parts = [silence, spoken("sa iso ie", rng), silence, spoken("o sisa eo aso", rng), silence]
    ends = np.cumsum([len(part) for part in parts]) / RATE
    signal = np.concatenate(parts)
    signal += 0.003 * rng.standard_normal(len(signal))
    return signal.astype("float32"), [(ends[0], ends[1]), (ends[2], ends[3])]


def read(path):
    with wave.open(str(path)) as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
            raise SystemExit(f"{path}: expected one channel of 16-bit samples, {RATE} a second")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype("float32") / 2**15


def probabilities(session, signal):
    """For each piece, the probability that somebody speaks."""
    state, context, found = np.zeros((2, 1, 128), "float32"), np.zeros(CONTEXT, "float32"), []
    for start in range(0, len(signal) - PIECE + 1, PIECE):
        piece = np.concatenate([context, signal[start : start + PIECE]])
        probability, state = session(piece[None], state)
        context = piece[-CONTEXT:]
        found.append(float(probability[0, 0]))
    return found


def segments(found):
    """Where there is speech, in seconds."""
    spoken_at = [at for at, probability in enumerate(found) if probability >= THRESHOLD]
    pieces = []
    for at in spoken_at:
        if pieces and at - pieces[-1][1] <= PAUSE:
            pieces[-1][1] = at
        else:
            pieces.append([at, at])
    return [(first * PIECE / RATE, (last + 1) * PIECE / RATE) for first, last in pieces]


def main():
    package = find_spec("silero_vad")
    if package is None:
        raise SystemExit("silero-vad is not installed: `make examples` installs it into .venv-examples")
    path = Path(package.origin).parent / "data" / "silero_vad.onnx"
    # The network has a part for each rate, and chooses by an input: with its value the choice is made here.
    session = tilewright.load(path, shapes={"input": (1, CONTEXT + PIECE)}, values={"sr": np.array(RATE)})
    print(session)
    signal, expected = (read(sys.argv[1]), None) if len(sys.argv) > 1 else own_recording()
    started = time.perf_counter()
    found = probabilities(session, signal)
    seconds = time.perf_counter() - started
    print("".join("#" if probability >= THRESHOLD else "." for probability in found))
    for begin, end in segments(found):
        print(f"speech from {begin:.2f} s to {end:.2f} s")
    pieces = len(found)
    speed = pieces * PIECE / RATE / seconds
    print(f"{pieces} pieces in {seconds * 1e3:.0f} ms: {speed:.0f} times as fast as one speaks")
    if expected is not None:
        near = all(
            abs(begin - first) < 0.2 and abs(end - last) < 0.3
            for (begin, end), (first, last) in zip(segments(found), expected, strict=True)
        )
        if not near:
            raise SystemExit(f"expected speech at {expected}")


if __name__ == "__main__":
    main()
