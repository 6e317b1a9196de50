"""Runs a model with another runtime, for `tilewright bench` and `tilewright compare`.

A line of JSON is a request, a line of JSON the answer. Standard output carries answers alone: what libraries print goes
to standard error.
"""

import json
import os
import sys
import threading
import time

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import numpy as np  # noqa: E402


class OnnxRuntime:
    """A session on the processor."""

    def __init__(self, request, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        if "folder" in request:
            key = "session.model_external_initializers_file_folder_path"
            options.add_session_config_entry(key, request["folder"])
        with open(request["model"], "rb") as file:
            source = file.read() if "folder" in request else request["model"]
        self.version = onnxruntime.__version__
        self.session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    def names(self):
        """The outputs."""
        return [output.name for output in self.session.get_outputs()]

    def caller(self, inputs):
        """A function that calls the model, for one thread."""
        return lambda: self.session.run(None, inputs)


class OpenVino:
    """A compiled model on the processor, whose floats keep their type."""

    def __init__(self, request, threads):
        import openvino

        streams = request.get("streams", 1)
        options = {
            "INFERENCE_NUM_THREADS": threads * streams,
            "NUM_STREAMS": streams,
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self.version = openvino.__version__.split("-")[0]
        self.model = openvino.Core().compile_model(request["model"], "CPU", options)

    def names(self):
        """The outputs."""
        return [output.any_name for output in self.model.outputs]

    def caller(self, inputs):
        """A function that calls the model, for one thread."""
        call = self.model.create_infer_request()
        return lambda: list(call.infer(inputs, share_inputs=True).values())


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}
state = {}


def tensor(given):
    """An input from its file."""
    values = np.fromfile(given["file"], dtype=given["dtype"])
    return values.reshape(given["shape"])


def load(request):
    """Reads the model and calls it once; the seconds until it can be called."""
    start = time.perf_counter()
    engine = ENGINES[request["engine"]](request, request["threads"])
    seconds = time.perf_counter() - start
    inputs = {given["name"]: tensor(given) for given in request["inputs"]}
    state.update(request=request, engine=engine, inputs=inputs, call=engine.caller(inputs))
    return {"version": engine.version, "seconds": seconds}


def time_calls(request):
    """Calls for some seconds, and at least as often as requested; the seconds of each call."""
    call, times = state["call"], []
    end = time.perf_counter() + request["seconds"]
    while len(times) < request["least"] or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return {"times": times}


def stream(request):
    """Calls from several threads, each with a processor of its own, for some seconds; calls and seconds."""
    count = request["streams"]
    if "streams" not in state:
        engine = ENGINES[state["request"]["engine"]]({**state["request"], "streams": count}, 1)
        state["streams"] = [engine.caller(state["inputs"]) for _ in range(count)]
        for call in state["streams"]:
            call()
    counts, failures = [0] * count, []
    start = time.perf_counter()

    def work(at):
        try:
            while time.perf_counter() - start < request["seconds"]:
                state["streams"][at]()
                counts[at] += 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return {"calls": sum(counts), "seconds": time.perf_counter() - start}


def results(request):
    """Calls once and writes each output that is a tensor of numbers into a file; the others have no file."""
    written = []
    for at, (name, value) in enumerate(zip(state["engine"].names(), state["call"](), strict=True)):
        path = os.path.join(request["folder"], f"output{at}.npy")
        is_tensor = isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
        if is_tensor:
            np.save(path, value)
        written.append({"name": name, "file": path if is_tensor else None})
    return {"outputs": written}


REQUESTS = {"load": load, "time": time_calls, "stream": stream, "results": results}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = REQUESTS[request["do"]](request)
    except ModuleNotFoundError as error:
        answer = {"missing": error.name or str(error)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
