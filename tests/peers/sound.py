"""WAV files as samples beside numpy: windows of them to the bit, log-mel spectra by the formula of quern-samples(7) within 1e-4 (the sums of numpy's FFT have another order)."""
import os
import tempfile
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper

from checks import check, finish, said

random = np.random.default_rng(11)


def write(path, values, rate, channels=1):
    with wave.open(path, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.ascontiguousarray(values, "<i2").tobytes())


def tune(length, rate):
    time = np.arange(length) / rate
    return (9000 * np.sin(2 * np.pi * 440 * time) + 5000 * np.sin(2 * np.pi * 1800 * time * (1 + time)) + random.normal(0, 300, length)).astype(np.int16)


def quern(dims, samples, kind=TensorProto.FLOAT):
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "net", [helper.make_tensor_value_info("x", kind, dims)],
                              [helper.make_tensor_value_info("y", kind, dims)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "net.onnx")
    said("run", "net.onnx", "--input", f"x={samples}", "-o", "out.npz", "--format", "npz")
    with np.load("out.npz") as results:
        return np.concatenate([results[name] for name in sorted(results, key=lambda n: int(n.split("/")[0].split("_")[1]))])


def windows(values, window, hop):
    if len(values) < window:
        return np.pad(values, (0, window - len(values)))[None]
    return np.stack([values[at:at + window] for at in range(0, len(values) - window + 1, hop)])


def log_mel(x, bands, frame, stride, rate, low, high):
    points = 700 * (10 ** (np.linspace(2595 * np.log10(1 + low / 700), 2595 * np.log10(1 + high / 700), bands + 2) / 2595) - 1)
    hz = np.arange(frame // 2 + 1) * rate / frame
    triangles = [np.maximum(0, np.minimum((hz - a) / (b - a), (c - hz) / (c - b))) for a, b, c in zip(points, points[1:], points[2:])]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(frame) / frame)
    frames = np.stack([x[at:at + frame] for at in range(0, len(x) - frame + 1, stride)]).astype(np.float64)
    return np.log(np.abs(np.fft.rfft(frames * hann)) ** 2 @ np.stack(triangles).T + 1e-6)


def resampled(x, old, new):
    """torchaudio.functional.resample with its defaults, in double."""
    common = np.gcd(old, new)
    old, new = old // common, new // common
    base = min(old, new) * 0.99
    width = int(np.ceil(6 * old / base))
    t = np.clip((np.arange(-width, width + old) / old - np.arange(new)[:, None] / new) * base, -6, 6)
    kernels = np.sinc(t) * np.cos(t * np.pi / 12) ** 2 * base / old
    padded = np.pad(x.astype(np.float64), (width, width + 2 * old))
    blocks = np.stack([padded[at:at + 2 * width + old] for at in range(0, len(x) + old, old)])
    return (blocks @ kernels.T).ravel()[:-(-new * len(x) // old)].astype(np.float32)


def compare(what, got, want, bound=0.0):
    if got.shape != want.shape:
        return check(False, f"{what}: {got.shape}, numpy {want.shape}")
    worst = float(np.abs(got.astype(np.float64) - want).max())
    check(worst <= bound, f"{what}: differs by at most {worst:g} (bound {bound:g})")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    codes = tune(16000, 16000)
    write("tune.wav", codes, 16000)
    write("stereo.wav", np.stack([codes, codes[::-1]], 1), 16000, 2)
    write("slow.wav", tune(5512, 11025), 11025)
    values = codes / np.float32(32768)
    compare("windows", quern(["n", 512], "tune.wav"), windows(values, 512, 512))
    compare("hop", quern([1, 1, 576], "tune.wav:rate=16000,hop=512"), windows(values, 576, 512)[:, None])
    compare("batch", quern([4, 500], "tune.wav:hop=500"), values.reshape(-1, 500))
    compare("short", quern([1, 20000], "tune.wav"), windows(values, 20000, 1))
    compare("whole", quern([1, "samples"], "tune.wav"), values[None])
    compare("channel", quern(["n", 1000], "stereo.wav:channel=1"), windows(values[::-1], 1000, 1000))
    compare("mono", quern(["n", 1000], "stereo.wav:mono"), windows(((values.astype(np.float64) + values[::-1]) / 2).astype(np.float32), 1000, 1000))
    compare("int16", quern(["n", 1000], "tune.wav", TensorProto.INT16), windows(codes, 1000, 1000))
    compare("scaled", quern(["n", 1000], "tune.wav:scale=32768"), windows(codes, 1000, 1000))
    one = log_mel(values, 40, 400, 160, 16000, 0, 8000)
    compare("log-mel", quern([1, 98, 40], "tune.wav:mel=40"), one[None], 1e-4)
    compare("log-mel, bands first", quern([1, 40, 98], "tune.wav:mel=40,bands=first"), one.T[None], 1e-4)
    compare("log-mel, four dims", quern([1, 98, 40, 1], "tune.wav:mel=40"), one[None, ..., None], 1e-4)
    part = np.stack([log_mel(w, 24, 512, 200, 16000, 60, 7000) for w in windows(values, 6000, 3000)])
    compare("log-mel of windows", quern(["n", "frames", 24], "tune.wav:mel=24,frame=512,stride=200,low=60,high=7000,window=6000,hop=3000"), part, 1e-4)
    slow = np.frombuffer(wave.open("slow.wav").readframes(5512), "<i2") / np.float32(32768)
    compare("log-mel at 11025 Hz, an odd frame", quern([1, "frames", 20], "slow.wav:mel=20"), log_mel(slow, 20, 275, 110, 11025, 0, 11025 / 2)[None], 1e-4)
    for rate in (8000, 11025, 22050, 44100, 15999, 48000):
        compare(f"16000 to {rate} Hz", quern([1, "samples"], f"tune.wav:rate={rate}"), resampled(values, 16000, rate)[None], 1e-6)
    compare("windows of 22050 Hz", quern(["n", 700], "tune.wav:rate=22050,hop=300"), windows(resampled(values, 16000, 22050), 700, 300), 1e-6)
    write("tone.wav", np.round(20000 * np.sin(2 * np.pi * 1000 * np.arange(44100) / 44100)), 44100)
    tone = 20000 / 32768 * np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000)
    compare("a tone of 1 kHz at 44100 Hz is one at 16000", quern([1, "samples"], "tone.wav:rate=16000")[:, 50:-50], tone[None, 50:-50], 5e-4)
    ends = quern([1, "samples"], "tune.wav:rate=32000", TensorProto.INT16)
    compare("int16", ends, np.clip(np.rint(resampled(values, 16000, 32000) * 32768), -32768, 32767)[None], 1)
    os.mkdir("sounds")
    for i in range(3):
        write(f"sounds/{i}.wav", codes[i * 1000:(i + 2) * 1000 + 7], 16000)
    compare("a folder", quern(["n", 1000], "sounds"), np.concatenate([windows(values[i * 1000:(i + 2) * 1000 + 7], 1000, 1000) for i in range(3)]))
finish("sound")
