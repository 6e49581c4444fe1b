"""Trained nets that packages of PyPI carry, samples made for them by Pillow and arithmetic, and the metric of each one's task; greater is better.

Truth is what was drawn or played, where the task has one; else it is what the float net says.
"""
import dataclasses
import functools
import gzip
import io
import json
import os
import subprocess
import sys
import sysconfig
import typing
import wave
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from PIL import Image, ImageDraw, ImageFont

ROWS, TEST = 32, 64  # for calibration, and others for the metric
RATE = 16000


@dataclasses.dataclass
class Net:
    name: str
    package: str  # as pip knows it
    path: str  # in the package
    metric: str
    shape: list  # of the first input
    samples: typing.Callable  # count, random -> rows, truths
    score: typing.Callable  # outputs of the rows, those of the float net, truths, the file's metadata -> number
    constants: dict = dataclasses.field(default_factory=dict)  # inputs that are the same in each row
    type: int = onnx.TensorProto.FLOAT  # of the first input


def package_of(net, build, workspace):
    """The folder of its files, fetched once."""
    folder = f"{build}/pretrained/{net.package}"
    if not os.path.isdir(folder):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", workspace, net.package], check=True)
        wheel = next(f"{workspace}/{name}" for name in os.listdir(workspace) if name.endswith(".whl"))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder + ".part")
        os.remove(wheel)
        os.rename(folder + ".part", folder)
    return folder


def prepared(net, source, path):
    """One input of a fixed shape, names that files of all tools keep."""
    model = onnx.load(source)
    graph = model.graph
    graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in net.constants.items())
    known = {constant.name for constant in graph.initializer}
    inputs = [value for value in graph.input if value.name not in known]
    del graph.input[:]
    graph.input.extend(inputs)
    inputs[0].type.tensor_type.shape.CopyFrom(helper.make_tensor_type_proto(net.type, net.shape).tensor_type.shape)
    graph.input[0].CopyFrom(inputs[0])
    for output in graph.output:  # what was computed of the open shape
        output.type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    if net.constants:  # what is computed of them is a constant to each tool
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = path
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return {entry.key: entry.value for entry in model.metadata_props}


# ---- pictures ---------------------------------------------------------------------------------------------------------------------------

LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZabcdefghkmnopqrstuvwxyz23456789"


def word(random, least=4, most=9):
    return "".join(random.choice(list(LETTERS), random.integers(least, most + 1)))


def background(random, width, height):
    """A slope of two colours with noise."""
    ends = random.integers(120, 256, (2, 3))
    slope = np.linspace(0, 1, width)[None, :, None]
    picture = ends[0] * (1 - slope) + ends[1] * slope + random.normal(0, 6, (height, width, 3))
    return Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))


def write(picture, random, text, place, size):
    font = ImageFont.load_default(size)
    ImageDraw.Draw(picture).text(place, text, fill=tuple(int(c) for c in random.integers(0, 90, 3)), font=font)
    return ImageDraw.Draw(picture).textbbox(place, text, font=font)


def normalized(picture):
    return (np.asarray(picture, np.float32).transpose(2, 0, 1) / 255 - 0.5) / 0.5


def lines(count, random):
    rows, truths = [], []
    for _ in range(count):
        picture, text = background(random, 320, 48), word(random)
        write(picture, random, text, (8 + random.integers(0, 20), 4), int(random.integers(28, 36)))
        rows.append(normalized(picture))
        truths.append(text)
    return np.stack(rows)[:, None], truths


def captchas(count, random):
    rows = []
    for _ in range(count):
        picture = background(random, 160, 64)
        for i, letter in enumerate(word(random, 4, 6)):
            write(picture, random, letter, (8 + 28 * i + random.integers(-3, 4), 6 + random.integers(-4, 10)), int(random.integers(34, 44)))
        for _ in range(3):
            ends = [(int(random.integers(0, 160)), int(random.integers(0, 64))) for _ in range(2)]
            ImageDraw.Draw(picture).line(ends, fill=tuple(int(c) for c in random.integers(60, 160, 3)))
        rows.append((np.asarray(picture.convert("L"), np.float32)[None] / 255 - 0.5) / 0.5)
    return np.stack(rows)[:, None], None


def directions(count, random):
    rows, truths = [], []
    for i in range(count):
        picture = background(random, 192, 48)
        write(picture, random, word(random, 5, 8), (6, 5), int(random.integers(26, 34)))
        rows.append(normalized(picture.rotate(180) if i % 2 else picture))
        truths.append(i % 2)
    return np.stack(rows)[:, None], truths


def pages(count, random):
    rows, truths = [], []
    for _ in range(count):
        picture, mask = background(random, 320, 320), np.zeros((320, 320), bool)
        for top in range(16, 280, 64):
            left, _, right, bottom = map(int, write(picture, random, word(random), (random.integers(8, 120), top + random.integers(0, 16)), int(random.integers(20, 34))))
            mask[top:bottom, left:right] = True
        rows.append((np.asarray(picture, np.float32).transpose(2, 0, 1) / 255 - np.array([.485, .456, .406], np.float32)[:, None, None])
                    / np.array([.229, .224, .225], np.float32)[:, None, None])
        truths.append(mask)
    return np.stack(rows)[:, None], truths


def distance(a, b):
    """Levenshtein's."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, before + (x != y))
    return row[-1]


def collapsed(scores):
    """What a net of CTC says: the best class of each step, of equal ones in a row the first, without blanks."""
    codes = scores.reshape(-1, scores.shape[-1]).argmax(1)
    return [code for code, last in zip(codes, [0, *codes]) if code and code != last]


def characters(got, _, truths, metadata):
    """Percent of characters that are right: 100 - CER."""
    names = ["", *metadata["character"].splitlines(), " "]
    wrong = sum(distance("".join(names[code] for code in collapsed(scores)), truth) for (scores,), truth in zip(got, truths))
    return 100 * (1 - wrong / sum(map(len, truths)))


def same_characters(got, exact, *_):
    """Percent of characters that are the float net's."""
    wanted = [collapsed(scores) for (scores,) in exact]
    wrong = sum(distance(collapsed(scores), text) for (scores,), text in zip(got, wanted))
    return 100 * (1 - wrong / sum(map(len, wanted)))


def classes(got, _, truths, __):
    return 100 * np.mean([scores.argmax() == truth for (scores,), truth in zip(got, truths)])


def overlap(got, *_):
    """IoU of the text found with what the float net finds, in percent."""
    found, wanted = (np.stack([rows[0] for rows in all_rows]) > 0.3 for all_rows in (got, _[0]))
    return 100 * np.sum(found & wanted) / np.sum(found | wanted)


# ---- sounds -----------------------------------------------------------------------------------------------------------------------------

def voice(random, frequency, seconds):
    """Harmonics of a gliding tone, louder around two formants, and breath: [samples], its pitch likewise."""
    count = int(seconds * RATE)
    pitch = frequency * 2 ** (np.cumsum(random.normal(0, 1, count // 400 + 2)).repeat(400)[:count] * 0.01)
    phase = np.cumsum(2 * np.pi * pitch / RATE)
    formants = random.uniform([300, 900], [900, 2500])
    sound = np.zeros(count)
    for k in range(1, 24):
        loud = sum(np.exp(-((k * frequency - f) / 250) ** 2) for f in formants) + 0.05
        sound += loud / k ** 0.5 * np.sin(k * phase) * (k * pitch < RATE / 2)
    sound = sound / np.abs(sound).max() * random.uniform(0.3, 0.8) + random.normal(0, 0.004, count)
    return sound.astype(np.float32), pitch


def tones(count, random):
    made = [voice(random, random.uniform(90, 450), 1) for _ in range(count)]
    return np.stack([sound for sound, _ in made])[:, None], [pitch for _, pitch in made]


def pitches(got, _, truths, __):
    """Raw pitch accuracy: percent of frames within a quarter of a tone."""
    right = []
    for outputs, truth in zip(got, truths):
        found = outputs[0].ravel()
        wanted = truth[np.linspace(0, len(truth) - 1, len(found)).astype(int)]
        right.append(np.abs(12 * np.log2(np.maximum(found, 1) / wanted)) < 0.5)
    return 100 * np.mean(right)


def chords(count, random):
    rate, length = 22050, 43844
    time, rows, truths = np.arange(length) / rate, [], []
    for _ in range(count):
        sound, played = np.zeros(length), np.zeros((172, 88), bool)
        for note in random.choice(np.arange(20, 68), 4, replace=False):
            begin, end = sorted(random.uniform(0, length / rate, 2))
            heard = (time >= begin) & (time < end)
            tone = sum(np.sin(2 * np.pi * 27.5 * 2 ** (note / 12) * k * time) / k ** 1.5 for k in range(1, 7))
            sound += heard * tone * np.minimum(1, np.exp(-2 * (time - begin)) + 0.2) * 0.2
            played[int(begin * 172 * rate / length):int(end * 172 * rate / length), note] = True
        rows.append((sound + random.normal(0, 0.002, length)).astype(np.float32)[:, None])
        truths.append(played)
    return np.stack(rows)[:, None], truths


def notes(got, _, truths, __):
    """F1 of frames of notes."""
    played = np.stack(truths)
    found = np.stack([next(o for o in outputs[::-1] if o.shape[-1] == 88)[0] for outputs in got]) if len(got[0]) == 1 else np.stack(
        [outputs[1][0] for outputs in got])
    hit = np.sum((found > 0.3) & played)
    return 100 * 2 * hit / max(np.sum(found > 0.3) + np.sum(played), 1)


def spoken(count, random):
    """Nine seconds of voices with pauses, in noise of many sizes."""
    rows = []
    for _ in range(count):
        parts = []
        while sum(map(len, parts)) < 144160:
            parts += [voice(random, random.uniform(90, 300), random.uniform(0.1, 0.5))[0], np.zeros(int(RATE * random.uniform(0.02, 0.3)), np.float32)]
        sound = np.concatenate(parts)[:144160] * random.uniform(0.2, 1)
        rows.append((sound + random.normal(0, 10 ** random.uniform(-4, -1), len(sound))).astype(np.float32))
    return np.stack(rows)[:, None], None


@functools.cache
def mel_bank(bands, size):
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), bands + 2) / 2595) - 1)
    bins = np.arange(size // 2 + 1) * RATE / size
    up, down = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None], (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def spectra(sound, size, hop):
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(sound, size // 2, mode="reflect"), size)[::hop]
    return np.fft.rfft(frames * np.hanning(size), axis=1)


def mels(count, random):
    sounds, _ = spoken(count, random)
    rows = []
    for sound in sounds[:, 0]:
        power = np.abs(spectra(sound, 320, 160)[:900]) ** 2 @ mel_bank(120, 320).T
        decibel = 10 * np.log10(np.maximum(power / power.max(), 1e-8))
        rows.append((np.maximum(decibel, -80) + 40) / 40)
    return np.stack(rows).astype(np.float32)[:, None], None


def opinions(got, exact, *_):
    """Mean opinion scores: 100 less a hundred times their mean distance from the float net's."""
    return 100 - 100 * np.mean([np.abs(a[0] - b[0]).mean() for a, b in zip(got, exact)])


def mel_windows(count, random):
    """0.76 seconds of 32 bands up to 3.8 kHz, in tens of decibels."""
    sounds, _ = spoken(count, random)
    rows = []
    for sound in sounds[:, 0]:
        begin = random.integers(0, len(sound) - 13000)
        power = np.abs(spectra(sound[begin:begin + 13000], 512, 160)[:76]) ** 2 @ mel_bank(64, 512)[:32].T
        decibel = 10 * np.log10(np.maximum(power, 1e-10))
        rows.append(np.maximum(decibel, decibel.max() - 80) / 10 + 2)
    return np.stack(rows).astype(np.float32)[:, None, :, :, None], None


def cosines(got, exact, *_):
    """The least cosine of a row with the float net's, in percent."""
    pairs = [(a[0].ravel().astype(np.float64), b[0].ravel().astype(np.float64)) for a, b in zip(got, exact)]
    return 100 * min(a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in pairs)


# ---- files ------------------------------------------------------------------------------------------------------------------------------

def saved_picture(random, format):
    file = io.BytesIO()
    background(random, int(random.integers(20, 90)), int(random.integers(20, 90))).save(file, format)
    return file.getvalue()


def saved_sound(random):
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, RATE, 0, "NONE", ""))
        sound.writeframes((voice(random, random.uniform(90, 300), 0.2)[0] * 32767).astype("<i2").tobytes())
    return file.getvalue()


def saved_archive(random):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(word(random) + ".txt", " ".join(word(random) for _ in range(400)))
    return file.getvalue()


@functools.cache
def programs():
    folder = sysconfig.get_paths()["stdlib"]
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py") and os.path.getsize(os.path.join(folder, name)) > 9000)


def part_of_program(random):
    with open(random.choice(programs()), "rb") as file:
        lines = file.read().splitlines(keepends=True)
    begin = random.integers(0, len(lines) // 2)
    return b"".join(lines[begin:begin + int(random.integers(80, 300))])


def table(random):
    return "".join(",".join(f"{x:.3f}" if i % 2 else word(random) for i, x in enumerate(row)) + "\n" for row in random.normal(0, 9, (60, 6))).encode()


def record(random):
    return json.dumps([{word(random): word(random), word(random): float(x), "list": list(map(int, random.integers(0, 99, 4)))} for x in random.normal(0, 1, 30)],
                      indent=int(random.integers(0, 3))).encode()


def web_page(random):
    parts = [f"<p class=\"{word(random)}\">{' '.join(word(random) for _ in range(20))}</p>" for _ in range(12)]
    return f"<!DOCTYPE html>\n<html><head><title>{word(random)}</title></head>\n<body>{os.linesep.join(parts)}</body></html>\n".encode()


FILES = {
    "python": part_of_program, "csv": table, "json": record, "html": web_page, "wav": saved_sound, "zip": saved_archive,
    "gzip": lambda random: gzip.compress(table(random)), "png": lambda random: saved_picture(random, "PNG"), "jpeg": lambda random: saved_picture(random, "JPEG"),
    "gif": lambda random: saved_picture(random, "GIF"), "bmp": lambda random: saved_picture(random, "BMP"), "tiff": lambda random: saved_picture(random, "TIFF"),
}
ENDS, PADDING = 1024, 256


def ends(content):
    """As Magika takes a file: its first and last bytes without white space around them."""
    first, last = content[:4096].lstrip()[:ENDS], content[-4096:].rstrip()[-ENDS:]
    return [*first, *[PADDING] * (ENDS - len(first)), *[PADDING] * (ENDS - len(last)), *last]


def files(count, random):
    kinds = [list(FILES)[i % len(FILES)] for i in range(count)]
    return np.array([ends(FILES[kind](random)) for kind in kinds], np.int32)[:, None], kinds


def kinds_of_files(got, exact, truths, _):
    """Top-1 against the class that the float net gives the kind most often."""
    said = {}
    for (scores,), kind in zip(exact, truths):
        said.setdefault(kind, []).append(int(scores.argmax()))
    names = {kind: max(set(classes), key=classes.count) for kind, classes in said.items()}
    return 100 * np.mean([scores.argmax() == names[kind] for (scores,), kind in zip(got, truths)])


MOS = "speechmos==0.0.1.1", "speechmos/dnsmos_models/"
NETS = [
    Net("ocr_recognition", "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", "characters right, %", [1, 3, 48, 320], lines, characters),
    Net("ocr_direction", "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", "top-1, %", [1, 3, 48, 192], directions, classes),
    Net("ocr_detection", "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", "IoU with float, %", [1, 3, 320, 320], pages, overlap),
    Net("pitch", "swift-f0==0.3.0", "swift_f0/model.onnx", "pitch accuracy, %", [1, RATE], tones, pitches,
        {"fmin": np.float32(46.875), "fmax": np.float32(2093.75)}),
    Net("notes", "basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx", "F1 of frames, %", [1, 43844, 1], chords, notes),
    Net("speech_quality", MOS[0], MOS[1] + "sig_bak_ovr.onnx", "100 - 100 |MOS - float|", [1, 144160], spoken, opinions),
    Net("speech_quality_p808", MOS[0], MOS[1] + "model_v8.onnx", "100 - 100 |MOS - float|", [1, 900, 120], mels, opinions),
    Net("captcha", "ddddocr==1.5.6", "ddddocr/common.onnx", "characters of float, %", [1, 1, 64, 160], captchas, same_characters),
    Net("file_type", "magika==0.6.2", "magika/models/standard_v3_3/model.onnx", "top-1, %", [1, 2048], files, kinds_of_files, type=onnx.TensorProto.INT32),
    Net("speech_embedding", "openwakeword==0.4.0", "openwakeword/resources/models/embedding_model.onnx", "least cosine with float, %", [1, 76, 32, 1], mel_windows,
        cosines),
]


def source_of(net, folder):
    return os.path.join(folder, net.path)
