#!/usr/bin/env python3
"""Trains the small digit classifier of this example with numpy and writes digits.onnx.

usage: scripts/digits build/digits && examples/digits/train.py build/digits examples/digits/digits.onnx
The network: x[batch,1,8,8] (pixels 0..1) -> Conv 16 3x3 -> BatchNormalization -> Relu -> MaxPool 2 -> Conv 32 3x3 -> Relu -> Gemm 10.
The same seed gives the same file on the same numpy.
"""
import struct
import sys

import numpy as np


def images(path):
    return np.fromfile(path, np.uint8).reshape(-1, 1, 8, 8).astype(np.float32) / 16


def patches(x):
    """[n,c,h,w] -> [n,h,w,c*9] of the 3x3 neighbourhoods, zero padded."""
    p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    h, w = x.shape[2:]
    return np.stack([p[:, :, i:i + h, j:j + w] for i in range(3) for j in range(3)], 2).transpose(0, 3, 4, 1, 2).reshape(
        x.shape[0], h, w, -1)


def unpatch(g, c):
    """The gradient of patches."""
    n, h, w, _ = g.shape
    g = g.reshape(n, h, w, c, 9).transpose(0, 3, 4, 1, 2)
    out = np.zeros((n, c, h + 2, w + 2), np.float32)
    for k in range(9):
        out[:, :, k // 3:k // 3 + h, k % 3:k % 3 + w] += g[:, :, k]
    return out[:, :, 1:-1, 1:-1]


class Net:
    def __init__(self, rng):
        init = lambda *shape: (rng.standard_normal(shape) * np.sqrt(2 / shape[0])).astype(np.float32)
        self.p = {"w1": init(9, 16), "gamma": np.ones(16, np.float32), "beta": np.zeros(16, np.float32),
                  "w2": init(144, 32), "b2": np.zeros(32, np.float32),
                  "w3": init(512, 10), "b3": np.zeros(10, np.float32)}
        self.mean, self.var = np.zeros(16, np.float32), np.ones(16, np.float32)

    def forward(self, x, train):
        p = self.p
        self.c1 = patches(x)
        a = self.c1 @ p["w1"]
        if train:
            self.mu, self.s2 = a.mean((0, 1, 2)), a.var((0, 1, 2))
            self.mean = 0.9 * self.mean + 0.1 * self.mu
            self.var = 0.9 * self.var + 0.1 * self.s2
        mu, s2 = (self.mu, self.s2) if train else (self.mean, self.var)
        self.rstd = 1 / np.sqrt(s2 + 1e-5)
        self.norm = (a - mu) * self.rstd
        self.h1 = np.maximum(self.norm * p["gamma"] + p["beta"], 0).transpose(0, 3, 1, 2)
        n = x.shape[0]
        windows = self.h1.reshape(n, 16, 4, 2, 4, 2)
        self.pool = windows.max((3, 5))
        self.mask = windows == self.pool[:, :, :, None, :, None]
        self.c2 = patches(self.pool)
        self.h2 = np.maximum(self.c2 @ p["w2"] + p["b2"], 0)
        self.flat = self.h2.transpose(0, 3, 1, 2).reshape(n, -1)
        return self.flat @ p["w3"] + p["b3"]

    def backward(self, g):
        p, d = self.p, {}
        n = g.shape[0]
        d["w3"], d["b3"] = self.flat.T @ g, g.sum(0)
        g = (g @ p["w3"].T).reshape(n, 32, 4, 4).transpose(0, 2, 3, 1) * (self.h2 > 0)
        d["w2"], d["b2"] = np.tensordot(self.c2, g, ((0, 1, 2), (0, 1, 2))), g.sum((0, 1, 2))
        g = unpatch(g @ p["w2"].T, 16)
        g = (g[:, :, :, None, :, None] * self.mask).reshape(n, 16, 8, 8) * (self.h1 > 0)
        g = g.transpose(0, 2, 3, 1)
        d["gamma"], d["beta"] = (g * self.norm).sum((0, 1, 2)), g.sum((0, 1, 2))
        g = g * p["gamma"]
        g = self.rstd * (g - g.mean((0, 1, 2)) - self.norm * (g * self.norm).mean((0, 1, 2)))
        d["w1"] = np.tensordot(self.c1, g, ((0, 1, 2), (0, 1, 2)))
        return d


def train(x, y, rng, epochs=40, batch=50):
    net = Net(rng)
    m = {k: np.zeros_like(v) for k, v in net.p.items()}
    v = {k: np.zeros_like(w) for k, w in net.p.items()}
    step = 0
    for epoch in range(epochs):
        rate = 0.003 * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        for rows in np.split(rng.permutation(len(x)), len(x) // batch):
            shift = rng.integers(-1, 2, 2)
            z = net.forward(np.roll(x[rows], shift, (2, 3)), True)
            e = np.exp(z - z.max(1, keepdims=True))
            g = e / e.sum(1, keepdims=True)
            g[np.arange(len(rows)), y[rows]] -= 1
            step += 1
            for k, d in net.backward((g / len(rows)).astype(np.float32)).items():
                m[k] = 0.9 * m[k] + 0.1 * d
                v[k] = 0.999 * v[k] + 0.001 * d * d
                update = m[k] / (1 - 0.9**step) / (np.sqrt(v[k] / (1 - 0.999**step)) + 1e-8)
                net.p[k] = (net.p[k] - rate * (update + 0.01 * net.p[k])).astype(np.float32)
    return net


# ---- a writer for the few protobuf messages of an ONNX model -------------------------------------------------------
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, array):
    return b"".join(field(1, d) for d in array.shape) + field(2, 1) + field(8, name) + field(9, array.astype("<f4").tobytes())


def attribute(name, value):
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)


def node(op, inputs, output, **attributes):
    return (b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, output + "_" + op) + field(4, op) +
            b"".join(field(5, attribute(k, v)) for k, v in attributes.items()))


def value(name, dims):
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def onnx_model(net):
    p = net.p
    conv = lambda w, c: np.ascontiguousarray(w.T.reshape(-1, c, 3, 3))
    weights = {"conv1.weight": conv(p["w1"], 1), "bn1.weight": p["gamma"], "bn1.bias": p["beta"], "bn1.mean": net.mean, "bn1.var": net.var,
               "conv2.weight": conv(p["w2"], 16), "conv2.bias": p["b2"], "fc.weight": np.ascontiguousarray(p["w3"].T), "fc.bias": p["b3"]}
    nodes = [
        node("Conv", ["image", "conv1.weight"], "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["conv1", "bn1.weight", "bn1.bias", "bn1.mean", "bn1.var"], "bn1", epsilon=1e-5),
        node("Relu", ["bn1"], "relu1"),
        node("MaxPool", ["relu1"], "pool1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pool1", "conv2.weight", "conv2.bias"], "conv2", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", ["conv2"], "relu2"),
        node("Flatten", ["relu2"], "flat", axis=1),
        node("Gemm", ["flat", "fc.weight", "fc.bias"], "scores", transB=1),
    ]
    graph = (b"".join(field(1, n) for n in nodes) + field(2, "digits") + b"".join(field(5, tensor(k, v)) for k, v in weights.items()) +
             field(11, value("image", ["batch", 1, 8, 8])) + field(12, value("scores", ["batch", 10])))
    return field(1, 8) + field(2, "quern examples/digits/train.py") + field(7, graph) + field(8, field(1, "") + field(2, 17))


def main():
    folder, out = sys.argv[1:]
    labels = lambda part: np.loadtxt(f"{folder}/{part}.labels", int, skiprows=1)
    net = train(images(f"{folder}/train.u8"), labels("train"), np.random.default_rng(1))
    right = (net.forward(images(f"{folder}/test.u8"), False).argmax(1) == labels("test")).sum()
    print(f"test accuracy {right}/{len(labels('test'))}")
    with open(out, "wb") as file:
        file.write(onnx_model(net))


main()
