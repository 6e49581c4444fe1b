"""EPContext models around contexts in onnx's checker: called by tests/peers/peer. What the node says is what onnxruntime's tools ask for, and
the file that onnx has written again runs with the results of the model."""
import os
import subprocess
import sys
import tempfile

import onnx

build, models = sys.argv[1:3]
folder = tempfile.mkdtemp()
failures = []

CASES = ["onnx/mnist_cnn_opset8.onnx", "onnx/fastestdet.onnx"]
if not os.path.isdir(f"{models}/onnx"):  # small exported models stand in
    models, CASES = os.path.join(os.path.dirname(__file__), "../models/exports/torch"), ["tv_resnet.script.onnx", "hf_bert.dynamo.onnx"]


def run(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1])


def results(model):
    out = tempfile.mkdtemp(dir=folder)
    run(f"{build}/bin/run", model, "--random", 1, "-o", out)
    return {name: open(f"{out}/Result_0/{name}", "rb").read() for name in sorted(os.listdir(f"{out}/Result_0"))}


def interface(values):
    return [(v.name, v.type.tensor_type.elem_type, [d.dim_value for d in v.type.tensor_type.shape.dim]) for v in values]


def check(source, embed):
    wrapper = f"{folder}/net_{embed}.onnx"
    run(f"{build}/bin/codegen", source, "--plugin", "context", "--option", f"embed={embed}", "-o", wrapper)
    onnx.checker.check_model(wrapper)
    model = onnx.load(wrapper)
    onnx.checker.check_model(model)
    (node,) = model.graph.node
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    assert (node.op_type, node.domain) == ("EPContext", "com.microsoft"), node.op_type
    assert any(o.domain == "com.microsoft" and o.version == 1 for o in model.opset_import), "operator set"
    assert attributes["main_context"] == 1 and attributes["source"] == b"quern", attributes.keys()
    assert attributes["embed_mode"] == (embed == "yes")
    payload = attributes["ep_cache_context"]
    assert payload[:8] == b"QUERNCTX" if embed == "yes" else payload == b"net_no.qctx", payload[:40]
    given = onnx.load(source).graph
    initializers = {i.name for i in given.initializer}
    assert interface(model.graph.input) == interface(v for v in given.input if v.name not in initializers), "inputs"
    assert interface(model.graph.output) == interface(given.output), "outputs"
    again = f"{folder}/again_{embed}.onnx"
    onnx.save(model, again)
    want = results(source)
    for path in (wrapper, again):
        assert results(path) == want, "other results"


for path in CASES:
    for embed in ("yes", "no"):
        try:
            check(f"{models}/{path}", embed)
            print(f"ok    {os.path.basename(path)}, embedded: {embed}", flush=True)
        except (AssertionError, RuntimeError, onnx.checker.ValidationError) as problem:
            print(f"FAIL  {os.path.basename(path)}, embedded: {embed}: {problem}", flush=True)
            failures.append(path)
print(f"ep_context: {len(failures)} failures")
sys.exit(1 if failures else 0)
