"""examples/python: every function of quern.h is there, its runs give onnxruntime's numbers, a script records, quantizes and compiles, and what is
wrong is said. usage: peer python BUILD"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnxruntime

root = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
example = root / "examples/python"
os.environ["QUERN_LIBRARY"] = str(build / "lib/libquern.so.0")
sys.path.insert(0, str(example))
sys.dont_write_bytecode = True
import quern  # noqa: E402

MODEL = str(root / "examples/digits/digits.onnx")
images = numpy.random.default_rng(7).random((20, 1, 1, 8, 8), numpy.float32)
failed = 0


def hold(what, ok):
    global failed
    if not ok:
        failed += 1
        print(f"FAILED: {what}")


def refused(what, status, text, call):
    try:
        call()
    except quern.Error as error:
        hold(f'{what}: want status {status} and "{text}", got {error.status} and "{error}"', error.status == status and text in str(error))
    else:
        hold(f"{what} was not refused", False)


def complete():
    header = (root / "include/quern/quern.h").read_text()
    declared = set(re.findall(r"^QUERN_EXPORT .*?\bquern_(\w+)\(", header, re.MULTILINE))
    known = set(quern.FUNCTIONS) | {"create_session", "close_session", "last_error"}
    hold(f"functions of quern.h: {sorted(declared ^ known)}", declared == known)
    for name, arguments in quern.FUNCTIONS.items():
        parameters = re.search(r"^QUERN_EXPORT [^;]*?\bquern_%s\((.*?)\);" % name, header, re.DOTALL | re.MULTILINE)[1]
        count = len(re.sub(r"\([^()]*\)", "", parameters).split(",")) - 1
        hold(f"{name} takes {count} arguments, {len(arguments)} are declared", count == len(arguments))
    source = (example / "quern.py").read_text()
    for name in known:
        hold(f"nothing calls {name}", f'"{name}"' in source.split("def _load")[1] or f"quern_{name}(" in source or name in ("input_count", "output_count", "input_info", "output_info"))
    graph = (root / "include/quern/graph.h").read_text()
    codes = {name.lower(): int(code) for name, code in re.findall(r"QUERN_([A-Z0-9]+) = (\d+)", graph)}
    for code, dtype in quern.DTYPES.items():
        hold(f"{dtype.__name__} has code {code}", codes[numpy.dtype(dtype).name] == code)


def runs():
    reference = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    with quern.Session(MODEL, threads=1) as session:
        hold("state before", session.state == "loaded")
        hold("input", (session.inputs[0].name, session.inputs[0].dims) == ("image", (-1, 1, 8, 8)))
        for array in (images[0], images[:6, 0], numpy.asfortranarray(images[0]), images[::3, 0]):
            got, want = session.run(image=array)["scores"], reference.run(None, {"image": array})[0]
            hold(f"scores of {array.shape}", got.shape == want.shape and numpy.allclose(got, want, atol=1e-4, rtol=0))
        hold("by place and by name", numpy.array_equal(session.run(images[0])["scores"], session.run(image=images[0].tolist())["scores"]))
        hold("state after", session.state == "prepared")
        out = numpy.empty((1, 10), numpy.float32)
        session.bind_output("scores", out)
        hold("a bound output", session.run(images[1])["scores"] is out)
        session.bind_output("scores", None)
        hold("no longer bound", session.run(images[1])["scores"] is not out and numpy.array_equal(session.run(images[1])["scores"], out))
    with quern.Session(pathlib.Path(MODEL).read_bytes()) as session:
        hold("from memory", numpy.allclose(session.run(images[0])["scores"], reference.run(None, {"image": images[0]})[0], atol=1e-4, rtol=0))


def quantized(folder):
    notices = []
    with quern.Session(MODEL, log=notices.append) as session:
        with session.recording():
            before = [session.run(image)["scores"] for image in images]
        hold("recorded runs", session.recorded_runs == len(images))
        session.quantize("i8", folder / "net.tflite")
        after = [session.run(image)["scores"] for image in images]
        hold("path", session.path == str(folder / "net.tflite"))
        port = session.inputs[0]
        hold("storage", port.storage == numpy.int8 and port.scale > 0)
        codes = numpy.clip(numpy.rint(images[0] / port.scale) + port.zero, -128, 127).astype(numpy.int8)
        hold("quantized values as they are", numpy.array_equal(session.run(codes)["scores"], after[0]))
        session.codegen("context", folder / "net.qctx", preference="speed", isa="base")
        hold("context", numpy.array_equal(session.run(images[0])["scores"], after[0]))
    with quern.Session(MODEL) as session:
        with session.recording():
            session.run(images[0])
        hold("not quantized yet", not session.is_quantized)
        session.quantize("w8a16", folder / "htp.onnx", target="htp")
        hold("by the rules of a target", session.is_quantized and session.inputs[0].storage == numpy.uint16)
    db = 10 * numpy.log10(numpy.square(before).sum() / numpy.square(numpy.subtract(after, before)).sum())
    hold(f"SQNR {db:.1f} dB", 25 < db < 80)
    with quern.Session(folder / "net.tflite") as session:
        hold("the file gives the session's codes", numpy.array_equal(session.run(images[0])[session.outputs[0].name], after[0]))


def compiled_beside_runs(folder):
    with quern.Session(MODEL) as session:
        session.prepare()
        session.set_minmax_runs(5)
        session.set_quantization("i8", folder / "auto.qn")
        for _ in range(2000):
            session.run(images[0], auto="")
            if session.path == str(folder / "auto.qn"):
                break
        hold("automatic compilation", session.path == str(folder / "auto.qn"))


def mistakes(folder):
    refused("a file that is not there", 5, "nowhere.onnx", lambda: quern.Session(folder / "nowhere.onnx"))
    refused("no model", 3, "", lambda: quern.Session(b"no model at all"))
    refused("threads", 2, "0", lambda: quern.Session(MODEL, threads=0))
    refused("options that are not an object", 2, "need a JSON object", lambda: quern.Session(MODEL, backend_options=[1]))
    with quern.Session(MODEL) as session:
        refused("a wrong name", 2, 'no input "picture"; the inputs are image', lambda: session.run(picture=images[0]))
        refused("no array", 2, "got 0 by place", session.run)
        refused("twice", 2, "got 1 by place, 1 by name", lambda: session.run(images[0], image=images[0]))
        refused("float64", 2, "want float32, got float64", lambda: session.run(images[0].astype(numpy.float64)))
        refused("a wrong shape", 3, "need [batch,1,8,8]", lambda: session.run(images[0][0]))
        refused("a wrong output", 2, "the outputs are scores", lambda: session.bind_output("score", numpy.empty(10, numpy.float32)))
        refused("an output of float64", 2, "got float64", lambda: session.bind_output("scores", numpy.empty(10)))
        refused("a wrong type", 2, "i99", lambda: session.quantize("i99"))
        refused("an option that the generator does not have", 2, "nosuch", lambda: session.codegen("context", nosuch=1))
        refused("a wrong preference", 2, "want one of default, speed, size", lambda: session.codegen("context", preference="fast"))
        hold("it runs after mistakes", session.run(images[0])["scores"].shape == (1, 10))
    refused("closed", 2, "the session is closed", session.prepare)


def script(folder):
    said = subprocess.run([sys.executable, example / "digits.py", MODEL, folder / "digits.tflite"], capture_output=True, text=True)
    hold(f"digits.py: {said.stdout}{said.stderr}", said.returncode == 0 and re.search(r"SQNR [34]\d\.\d dB", said.stdout) and (folder / "digits.tflite").stat().st_size > 1000)


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    complete()
    runs()
    quantized(work)
    compiled_beside_runs(work)
    mistakes(work)
    script(work)
print(f"python: {len(quern.FUNCTIONS) + 3} functions, {failed} failed")
sys.exit(failed > 0)
