"""Nets of keras.applications by name, with random weights, as SavedModels, for tests/slow/drawn_nets.

    drawn_nets_keras.py --names     all names ("keras:ResNet101") but those of tests/slow/keras_nets
    drawn_nets_keras.py             for each line "NAME<tab>PATH" folder PATH.saved and PATH.npz, its input "0", as drawn_nets_serve.py has it
"""
import ast
import inspect
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np
import tensorflow as tf

from drawn_nets_serve import serve

SIDE = 64
MOST = 12_000_000


def known():
    """NETS of keras_nets.py, which is a program."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "keras_nets.py"), encoding="utf-8") as file:
        lines = ast.parse(file.read()).body
    return next(ast.literal_eval(line.value) for line in lines if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "NETS")


def names_of_all():
    made = [name for name, found in vars(keras.applications).items() if inspect.isfunction(found)]
    return [f"keras:{name}" for name in made if name not in known()]


def built(name):
    """With side SIDE, or its own."""
    make = getattr(keras.applications, name)
    try:
        net = make(weights=None, classifier_activation=None, input_shape=(SIDE, SIDE, 3))
    except ValueError:
        net = make(weights=None, classifier_activation=None)
    if net.count_params() > MOST:
        raise ValueError(f"{net.count_params() / 1e6:.0f} million parameters")
    random = np.random.default_rng(5)
    for variable in net.variables:
        if "moving_mean" in variable.path or variable.path.endswith("beta"):
            variable.assign(random.normal(0, 0.1, variable.shape))
        if "moving_variance" in variable.path or variable.path.endswith("gamma"):
            variable.assign(random.uniform(0.8, 1.2, variable.shape))
    return net


def export(name, path):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(5)
    net = built(name.split(":")[1])
    net.export(f"{path}.saved", verbose=False)
    np.savez(f"{path}.npz", **{"0": np.random.default_rng(7).uniform(-1, 1, (1, *net.input_shape[1:])).astype(np.float32)})


if __name__ == "__main__":
    serve(names_of_all, export)
