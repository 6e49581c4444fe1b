"""The back end ort: what execution providers compute by it is what they compute of the same model by onnxruntime itself - its processor, and QNN's
HTP, emulated - and QNN's own products: contexts, containers (.dlc), refusals by name.   usage: providers.py BUILD MODELS [NAME]"""
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import onnx

from checks import build, check, finish, models, tool, write_list
from ort_session import session

os.environ["QUERN_ORT"] = sys.prefix
HERE = os.path.dirname(os.path.abspath(__file__))
EXPORTS = f"{HERE}/../models/exports/torch"
NETS = [("tv_mobilenet_v2", f"{EXPORTS}/tv_mobilenet_v2.script.onnx"), ("tv_shufflenet", f"{EXPORTS}/tv_shufflenet.script.onnx"),
        ("unet", f"{EXPORTS}/unet.script.onnx"), ("fastestdet", f"{models}/onnx/fastestdet.onnx"), ("mnist", f"{models}/onnx/mnist_cnn_opset8.onnx")]
TYPES = ("float", "u8i8", "w8u16")
HTP = "ort:qnn,soc=57"
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def failed(name, *args):
    """The exit code and standard error of a tool that is to fail."""
    done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], capture_output=True, text=True)
    return done.returncode, "\n".join(line for line in done.stderr.splitlines() if "LIBNATIVE" not in line)


def row_of(path):
    random = np.random.default_rng(5)
    graph = onnx.load(path, load_external_data=False).graph
    constants = {c.name for c in graph.initializer}
    return {i.name: random.uniform(-1, 1, [d.dim_value or 1 for d in i.type.tensor_type.shape.dim]).astype(np.float32)
            for i in graph.input if i.name not in constants}


def by_run(path, rows, folder, *args):
    """Results of the tool `run`, by the names of outputs."""
    out = f"{folder}/results.npz"
    tool("run", path, "--input-list", rows, "--format", "npz", "-o", out, *args)
    made = np.load(out)
    return {name.split("/")[-1]: made[name] for name in made}


def by_onnxruntime_htp(path, row, folder):
    """The same of onnxruntime with QNN's provider, from Python."""
    np.savez(f"{folder}/rows.npz", count=np.array(1), **{f"0/{name}": array for name, array in row.items()})
    subprocess.run([sys.executable, f"{HERE}/qnn_session.py", "--htp", path, f"{folder}/rows.npz", f"{folder}/htp.npz", "3"], check=True, capture_output=True, timeout=120)
    made = np.load(f"{folder}/htp.npz")
    return {key.split("/", 1)[1]: made[key] for key in made if key.startswith("0/")}, float(made["seconds"])


def most_apart(got, want):
    """The most that a number differs, of the largest in its output."""
    return max(float(np.max(np.abs(got[name].ravel() - want[name].ravel()))) / max(float(np.max(np.abs(want[name]))), 1e-30) for name in want)


def products_of_qnn(name, type_, product, row, rows, folder):
    context, dlc, qctx = f"{folder}/ctx.onnx", f"{folder}/net.dlc", f"{folder}/net.qctx"
    want, _ = by_onnxruntime_htp(product, row, folder)
    got = by_run(product, rows, folder, "--backend", HTP)
    apart = most_apart(got, want)
    check(apart <= (0.001 if type_ == "float" else 0), f"{name} {type_}: run --backend {HTP} and onnxruntime with QNN: {apart:.2g} of the largest number apart")
    tool("codegen", product, "-p", "context", "--option", f"backend={HTP}", "-o", qctx)
    check(most_apart(by_run(qctx, rows, folder), got) == 0, f"{name} {type_}: a context of quern's with QNN's binary gives the same")
    tool("codegen", product, "-p", "qnn-context", "--option", "soc=57", "-o", context)
    alone, seconds = by_onnxruntime_htp(context, row, folder)
    apart = most_apart(alone, got)
    check(most_apart(by_run(context, rows, folder, "--backend", HTP), got) == 0, f"{name} {type_}: run takes it, too, and gives the same")
    check(apart == 0 and seconds < 0.2, f"{name} {type_}: qnn-context is loaded by onnxruntime in {seconds:.3f} s, {apart:.2g} of the largest number apart")
    tool("codegen", product, "-p", "dlc", "--option", "soc=57", "-o", dlc)
    members = zipfile.ZipFile(dlc).namelist()
    check({"model", "model.params"} <= set(members), f"{name} {type_}: a .dlc with {', '.join(members)}")


def judge(name, path, folder):
    row = row_of(path)
    rows = write_list(folder, [row])
    tool("minmax-collect", path, "--random", 1, "--rows", 8, "-q", "-o", f"{folder}/ranges.json")
    for type_ in TYPES:
        product = path if type_ == "float" else f"{folder}/{type_}.onnx"
        if type_ != "float":
            tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
        own = session(product)
        want = dict(zip([o.name for o in own.get_outputs()], own.run(None, row)))
        started = time.time()
        apart = most_apart(by_run(product, rows, folder, "--backend", "ort"), want)
        near = 1e-6 if type_ == "float" else 0  # sums of floats go by the instruction set and the layout
        check(apart <= near, f"{name} {type_}: run --backend ort and onnxruntime: {apart:.2g} of the largest number apart, {time.time() - started:.1f} s")
        products_of_qnn(name, type_, product, row, rows, folder)


def refusals(folder):
    """A depthwise Conv of int16, which HTP does not have: fatal to onnxruntime, a message here; the processor may stand behind it."""
    path = f"{models}/field/qnn/ConvDW-i16i8pc.onnx"
    if not os.path.exists(path):
        return
    code, text = failed("run", path, "--random", 1, "--backend", HTP)
    check(code == 4 and "refused as DepthWiseConv2d, error 3110" in text, f"a refusal: {text}")
    explained = tool("run", path, "--random", 1, "--backend", f"{HTP};cpu", "--explain")
    check("on cpu" in explained, "the processor stands behind it")
    code, text = failed("codegen", path, "-p", "qnn-context", "--option", "soc=57", "-o", f"{folder}/no.onnx")
    check(code == 4 and "error 3110" in text and not os.path.exists(f"{folder}/no.onnx"), f"no context of it: {text}")


def qairt(*args, cwd):
    """Command lines of Qualcomm's, as quern-qairt runs them."""
    done = subprocess.run([f"{HERE}/../../scripts/qairt", *args], capture_output=True, text=True, cwd=cwd, env={**os.environ, "PATH": f"{os.path.abspath(build)}/bin:{os.environ['PATH']}"})
    check(done.returncode == 0, f"{' '.join(args[:2])}: exit {done.returncode} {done.stderr if done.returncode else ''}")


def chains(folder):
    """One command, and the command lines of Qualcomm's tools, make what the single tools make."""
    path = os.path.abspath(f"{HERE}/../../examples/digits/digits.onnx")
    random = np.random.default_rng(7)
    rows = write_list(folder, [{"image": random.uniform(0, 1, (1, 1, 8, 8)).astype(np.float32)} for _ in range(4)])
    tool("minmax-collect", path, "--shape", "image=1,1,8,8", "--input-list", rows, "-q", "-o", f"{folder}/ranges.json")
    for type_ in "u8i8", "w8u16":
        tool("quantize", path, "--shape", "image=1,1,8,8", "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", f"{folder}/q.qn")
        want = by_run(f"{folder}/q.qn", rows, folder, "--backend", HTP)
        for suffix in "_ctx.onnx", ".bin", ".qctx":
            made = f"{folder}/{type_}{suffix}"
            tool("compile", path, "--shape", "image=1,1,8,8", "--target", "htp", "--type", type_, "--input-list", rows, "-q", "-o", made)
            flags = [] if suffix == ".qctx" else ["--backend", "ort:qnn,soc=Snapdragon 8 Gen 3"]
            got = by_run(made.replace(".bin", ".onnx"), rows, folder, *flags)
            apart = most_apart(got, want)
            check(apart == 0, f"compile --target htp --type {type_} -o NAME{suffix}: {apart:.2g} of the largest number apart")
        tool("compile", path, "--shape", "image=1,1,8,8", "--target", "htp", "--type", type_, "--input-list", rows, "-q", "-o", f"{folder}/{type_}.dlc")
        check("model.params" in zipfile.ZipFile(f"{folder}/{type_}.dlc").namelist(), f"compile --target htp --type {type_} -o NAME.dlc")
    with open(f"{folder}/list.txt", "w", encoding="utf-8") as file:
        for k in range(4):
            random.uniform(0, 1, 64).astype(np.float32).tofile(f"{folder}/row{k}.raw")
            file.write(f"row{k}.raw\n")
    with open(f"{folder}/net.json", "w", encoding="utf-8") as file:
        file.write('{"backend_extensions": {"config_file_path": "htp.json"}}')
    with open(f"{folder}/htp.json", "w", encoding="utf-8") as file:
        file.write('{"devices": [{"soc_model": 57, "dsp_arch": "v75"}], "graphs": [{"vtcm_mb": 8, "O": 2}]}')
    qairt("qairt-converter", "--input_network", path, "-s", "image", "1,1,8,8", "-o", "net.dlc", cwd=folder)
    qairt("qairt-quantizer", "--input_dlc", "net.dlc", "--input_list", "list.txt", "--target_backend", "HTP", "-o", "q.dlc", cwd=folder)
    qairt("qnn-context-binary-generator", "--dlc_path", "q.dlc", "--backend", "libQnnHtp.so", "--binary_file", "net", "--config_file", "net.json", cwd=folder)
    qairt("qnn-net-run", "--retrieve_context", "output/net.bin", "--backend", "libQnnHtp.so", "--input_list", "list.txt", "--output_dir", "htp", "--config_file", "net.json", cwd=folder)
    qairt("qnn-net-run", "--dlc_path", "q.dlc", "--backend", "libQnnCpu.so", "--input_list", "list.txt", "--output_dir", "cpu", cwd=folder)
    values = [[np.concatenate([np.fromfile(os.path.join(at, name), np.float32) for at, _, names in os.walk(f"{folder}/{side}/Result_{k}") for name in names]) for k in range(4)] for side in ("htp", "cpu")]
    apart = max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in zip(*values))
    check(apart < 0.05, f"from qairt-converter to qnn-net-run: HTP and the processor {apart:.2g} of the largest number apart")
    qairt("modelexport", "compile-qnn", "net.dlc", "model_int8.dlc", "--quantize", "--calibration-data", "list.txt", "--act-bitwidth", "8", "--weights-bitwidth", "8", cwd=folder)
    qairt("modelexport", "compile-qnn", "net.dlc", "model_mixed.dlc", "--quantize", "--calibration-data", "list.txt", "--act-bitwidth", "8", "--weights-bitwidth", "4", "--bias-bitwidth", "32", "--float-bitwidth", "16", cwd=folder)
    qairt("modelexport", "compile-qnn", "net.dlc", "model_ctx.bin", "--format", "context-binary", "--backend", "HTP", "--device", "Snapdragon 8 Gen 3", cwd=folder)
    check("model.params" in zipfile.ZipFile(f"{folder}/model_int8.dlc").namelist(), "modelexport compile-qnn: a .dlc")


def language(folder):
    """From a GGUF file to tokens on HTP, as docs/gguf.md has it: two graphs in a context, each one part; 16 bits speak what the float model speaks."""
    source = f"{models}/gguf/stories260K-f32.gguf"
    if not os.path.exists(source):
        return
    spoken = tool("run", source, "--prompt", "", "-n", 40)
    for graph, length in ("prefill", 16), ("decode", 1):
        tool("model-convert", source, "--static-cache", 128, "--shape", f"input_ids=1,{length}", "-o", f"{folder}/{graph}.qn")
    tokens = [1, *json.loads(tool("run", source, "--prompt", "", "-n", 100, "--json"))["tokens"]]
    for name, numbers in ("ids", tokens), ("positions", range(len(tokens))):
        with open(f"{folder}/{name}.csv", "w", encoding="utf-8") as file:
            file.writelines(f"{number}\n" for number in numbers)
    tool("minmax-collect", f"{folder}/decode.qn", "--input", f"input_ids={folder}/ids.csv", "--input", f"position_ids={folder}/positions.csv", "--stateful", "-q", "-o", f"{folder}/ranges.json")
    for type_ in "w8u16", "w4u16":
        for graph in "prefill", "decode":
            tool("quantize", f"{folder}/{graph}.qn", "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", f"{folder}/{graph}-q.qn")
        context = f"{folder}/{type_}.qctx"
        tool("codegen", f"{folder}/decode-q.qn", "-p", "context", "--option", "name=decode", "--option", f"graphs=prefill={folder}/prefill-q.qn", "--option", f"backend={HTP}", "-o", context)
        parts = [line for line in tool("model-info", context).splitlines() if line.startswith("part")]
        check(len(parts) == 2 and all("back end ort" in part for part in parts), f"stories260K {type_}: {len(parts)} parts of 2 graphs, all on HTP")
        said = tool("run", context, "--prompt", "", "-n", 40)
        check(said == spoken if type_ == "w8u16" else said.startswith("Once upon a time, there was a little girl"), f"stories260K {type_} on HTP: {said.strip()}")


def shared(folder):
    """Graphs of one set of weights in one binary, which QNN's emulator does not load: it is counted, and its models name it."""
    net = os.path.abspath(f"{HERE}/../../examples/digits/digits.onnx")
    tool("minmax-collect", net, "--shape", "image=1,1,8,8", "--random", 1, "-q", "-o", f"{folder}/ranges.json")
    for batch in 1, 2:  # of which even the names are alike
        tool("quantize", net, "--shape", f"image={batch},1,8,8", "--ranges", f"{folder}/ranges.json", "--target", "htp", "-q", "-o", f"{folder}/batch{batch}.onnx")
    tool("codegen", f"{folder}/batch1.onnx", "-p", "qnn-context", "--option", "soc=57", "--option", f"with={folder}/batch2.onnx", "-o", f"{folder}/batches.onnx")
    check(os.path.getsize(f"{folder}/batches_qnn.bin") > 0 and os.path.exists(f"{folder}/batch2_ctx.onnx"), "two batch sizes of a net in one binary")
    source = f"{models}/gguf/stories260K-f32.gguf"
    if not os.path.exists(source):
        return
    tool("model-convert", source, "--static-cache", 64, "-o", f"{folder}/any.onnx")
    past = [i.name for i in onnx.load(f"{folder}/any.onnx").graph.input if i.name.startswith("past_key_values")]
    for graph, length in ("prefill", 16), ("decode", 1):
        shapes = {"input_ids": f"1,{length}", "position_ids": f"1,{length}", **{name: "1,4,64,8" for name in past}}
        tool("model-convert", f"{folder}/any.onnx", *(word for name, shape in shapes.items() for word in ("--shape", f"{name}={shape}")), "-o", f"{folder}/{graph}.onnx")
        tool("minmax-collect", f"{folder}/{graph}.onnx", "--random", 1, "-q", "-o", f"{folder}/ranges.json")
        tool("quantize", f"{folder}/{graph}.onnx", "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", "w8u16", "-q", "-o", f"{folder}/{graph}-q.onnx")
        tool("codegen", f"{folder}/{graph}-q.onnx", "-p", "qnn-context", "--option", "soc=57", "--option", "prepare=only", "-o", f"{folder}/{graph}.bin")
    tool("codegen", f"{folder}/decode-q.onnx", "-p", "qnn-context", "--option", "soc=57", "--option", f"with={folder}/prefill-q.onnx", "-o", f"{folder}/both.onnx")
    alone = [os.path.getsize(f"{folder}/{graph}.bin") for graph in ("prefill", "decode")]
    both = os.path.getsize(f"{folder}/both_qnn.bin")
    check(max(alone) < both < 0.8 * sum(alone), f"two graphs in one binary: {both} bytes, in two {alone[0]} and {alone[1]}")
    for name in "both", "prefill-q_ctx":
        named = [a.s.decode() for node in onnx.load(f"{folder}/{name}.onnx").graph.node if node.op_type == "EPContext" for a in node.attribute if a.name == "ep_cache_context"]
        check(named == ["both_qnn.bin"], f"{name}.onnx: the binary is {named}")


with tempfile.TemporaryDirectory() as work:
    refusals(work)
    if wanted in "shared":
        shared(work)
    if wanted in "chains":
        chains(work)
    if wanted in "stories260K":
        language(work)
    for net, source in NETS:
        if os.path.exists(source) and wanted in net:
            judge(net, source, work)
finish("providers")
