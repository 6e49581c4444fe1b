"""Labelled models and their rows, for tests/slow/{accuracy,methods,algorithms,schemes}.py; the first argument is the build folder.

Calibrated on even rows, tested on odd ones: files are sorted by class now and then. Test rows of which one class alone makes more than 60 % say nothing about
a model and are refused.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

build = sys.argv[1]
MOST_OF_ONE_CLASS = 60  # percent of the test rows
workspace = tempfile.TemporaryDirectory()


def labels_of(path):
    path, _, column = path.partition(":")
    with open(path) as file:
        return np.array([int(row[column or "label"]) for row in csv.DictReader(file)])


def refuse_one_class(name, labels):
    """What always says the most frequent class must not look like a good model."""
    share = 100 * np.bincount(labels).max() / len(labels)
    if share > MOST_OF_ONE_CLASS:
        sys.exit(f"{name}: {share:.0f} % of the test rows are of one class, at most {MOST_OF_ONE_CLASS} % may be")


def array_file(name, rows):
    """Rows that are one sample each."""
    path = f"{workspace.name}/{name}.npy"
    np.save(path, np.ascontiguousarray(rows))
    return path


def table_lines(page):
    """Of the table whose first column is "net"."""
    with open(page) as file:
        text = file.read()
    return [line for line in text[text.index("| net |"):].splitlines()[1:] if line.startswith("| ")]


def kept_lines(page, only):
    """Lines of the page's table that stay when those of the nets `only` are written anew."""
    return [line for line in table_lines(page) if line.split()[1] not in only]


def write_table(page, columns, lines):
    """The table at the end of the page, which begins with the column "net"; columns that begin with ">" stand to the right."""
    titles = " | ".join(column.removeprefix(">") for column in columns)
    rule = "".join("---:|" if column.startswith(">") else "---|" for column in columns)
    with open(page) as file:
        text = file.read()
    with open(page, "w") as file:
        file.write(f"{text[:text.index('| net |')]}| {titles} |\n|{rule}\n" + "\n".join(lines) + "\n")


def tool(name, *args):
    subprocess.run([f"{build}/bin/{name}", *map(str, args)], check=True)


class Task:
    def __init__(self, name, model, input_name, blob, dtype, shape, scale, labels, rows, total=None):
        self.name, self.model, self.input, self.total, self.truth = name, model, input_name, total, labels
        self.data = np.fromfile(blob, dtype).reshape(-1, *shape)
        self.data = self.data.astype(np.float32) * np.float32(scale) if scale else self.data
        self.all_labels = labels_of(labels)
        self.calibration, self.test, self.labels = self.data[0::2][:rows], self.data[1::2], self.all_labels[1::2]
        refuse_one_class(name, self.labels)
        self.files = {what: f"{input_name}={array_file(f'{name}_{what}', rows[:, None])}"
                      for what, rows in (("all", self.data), ("calibration", self.calibration), ("test", self.test))}


def labelled_tasks(digits, models):
    """ONNX models: the example, and the public ones if they are there."""
    yield Task("digits", digits, "image", f"{build}/digits/test.u8", np.uint8, (1, 8, 8), 0.0625, f"{build}/digits/test.labels", 100)
    if not os.path.isdir(f"{models}/onnx"):
        return
    data = f"{models}/data"
    yield Task("mnist_cnn_opset8", f"{models}/onnx/mnist_cnn_opset8.onnx", "Input3", f"{data}/mnist/images_u8.bin", np.uint8, (1, 28, 28), 1,
               f"{data}/mnist/labels.csv", 100, 987)
    yield Task("magika_v3_3", f"{models}/onnx/magika_v3_3.onnx", "bytes", f"{data}/magika/features_i32.bin", np.int32, (2048,), None,
               f"{data}/magika/labels.csv", 20, 76)


def tflite_tasks(models):
    """Float TFLite models whose rows stand alone."""
    if not os.path.isdir(f"{models}/tflite"):
        return
    data = f"{models}/data"
    yield Task("vww01_mobilenetv1", f"{models}/tflite/vww01_mobilenetv1_025_float32.tflite", "input_1", f"{data}/vww01/images_u8.bin", np.uint8, (96, 96, 3),
               1 / 255, f"{data}/vww01/labels.csv", 100)


def quantizer_tasks(digits, models):
    """All of them, and a transformer, which takes long."""
    yield from labelled_tasks(digits, models)
    yield from tflite_tasks(models)
    if os.path.isdir(f"{models}/tflite"):
        yield keyword_task(models)


def keyword_task(models):
    return Task("kwt1_transformer", f"{models}/tflite/kwt1_keyword_transformer_float32.tflite", "input_1",
                f"{models}/data/kws01_audio/audio_i16.bin", np.int16, (16000,), 1 / 32768, f"{models}/data/kws01_audio/labels.csv:kwt_label", 100)


def results(model, samples, *args):
    """Outputs of `run`, a row a sample."""
    with tempfile.TemporaryDirectory() as folder:
        tool("run", model, "--input", samples, "--parallel", "-o", folder, "--format", "npy", *args)
        files = [os.path.join(folder, f"Result_{i}") for i in range(len(os.listdir(folder)))]
        return np.stack([np.load(os.path.join(f, os.listdir(f)[0])).ravel() for f in files])


def quern(task, model, *args, rows="test"):
    return results(model, task.files[rows], *args)
