"""Outputs of nets of keras.applications within 1e-4 of the largest of TensorFlow's, from a SavedModel and from a frozen graph; called by
tests/slow/keras_nets. Weights are random, moving statistics too, as zeros and ones would hide a wrong normalization."""
import os
import subprocess
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

build, *only = sys.argv[1:]
CLOSE = 1e-4
NETS = ["MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "ResNet50", "ResNet50V2", "DenseNet121", "EfficientNetB0", "EfficientNetV2B0", "InceptionV3",
        "InceptionResNetV2", "NASNetMobile", "Xception", "VGG16", "ConvNeXtTiny"]
failures = []


def built(name):
    keras.utils.set_random_seed(5)
    net = getattr(keras.applications, name)(weights=None, classes=10, input_shape=(224, 224, 3))
    random = np.random.default_rng(5)
    for variable in net.variables:
        if "moving_mean" in variable.path or variable.path.endswith("beta"):
            variable.assign(random.normal(0, 0.1, variable.shape))
        if "moving_variance" in variable.path or variable.path.endswith("gamma"):
            variable.assign(random.uniform(0.8, 1.2, variable.shape))
    return net


def differs(path, x, want, folder):
    np.save(f"{folder}/x.npy", x)
    done = subprocess.run([f"{build}/bin/run", path, "--input", f"{folder}/x.npy", "--format", "npz", "-o", f"{folder}/out.npz", "-q"],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    found = np.load(f"{folder}/out.npz")
    (got,) = (found[name] for name in found)
    worst = np.abs(got.reshape(want.shape) - want).max() / np.abs(want).max()
    return "" if worst <= CLOSE else f"differs by {worst:.1e} of the largest"


def check(name, form, path, x, want, folder):
    why = differs(path, x, want, folder)
    subprocess.run([f"{build}/bin/model-convert", path, "-q", "-o", f"{folder}/simple.qn"])
    info = subprocess.run([f"{build}/bin/model-info", f"{folder}/simple.qn"], capture_output=True, text=True).stdout
    nodes = next((line.split()[1] for line in info.splitlines() if line.startswith("nodes")), "?")
    print(f"{'FAIL' if why else 'ok  '}  {name:<18} {form:<10} {nodes:>5} nodes  {why}", flush=True)
    if why:
        failures.append(f"{name} {form}")


for name in only or NETS:
    keras.backend.clear_session()
    net = built(name)
    x = np.random.default_rng(7).uniform(-1, 1, (1, *net.input_shape[1:])).astype(np.float32)
    want = np.asarray(net(x, training=False))
    if np.ptp(want) < 1e-6:
        sys.exit(f"{name}: its outputs are all alike, which no test is")
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/saved", verbose=False)
        frozen = convert_variables_to_constants_v2(tf.function(lambda data: net(data, training=False)).get_concrete_function(tf.TensorSpec(x.shape, tf.float32)))
        tf.io.write_graph(frozen.graph, folder, "frozen.pb", as_text=False)
        check(name, "SavedModel", f"{folder}/saved", x, want, folder)
        check(name, "frozen", f"{folder}/frozen.pb", x, want, folder)
print("keras nets: " + ("all as in TensorFlow" if not failures else "other: " + ", ".join(failures)))
sys.exit(bool(failures))
