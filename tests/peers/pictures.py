"""Pictures as samples beside Pillow, on pictures that are made here: decoded, resized and cropped as Pillow and torchvision's transforms do, normalized in float32.

PNG, PPM, BMP and what is done with their bytes is equal to the bit but for 16-bit PNG, where libpng rounds and Pillow cuts: 1 of 255. Pixels of a JPEG
may differ by 2 of 255: the releases of libjpeg-turbo are not the same."""
import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import ExifTags, Image, ImageOps

from checks import check, finish, said

MEAN, STD = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
random = np.random.default_rng(7)


def scene(width, height):
    """Smooth colours, edges and some noise."""
    y, x = np.mgrid[0:height, 0:width]
    bands = [127 + 100 * np.sin(x / (5 + c) + y / 9) for c in range(3)]
    colours = np.stack(bands, -1) + random.normal(0, 6, (height, width, 3))
    colours[height // 4: height // 2, width // 3: width // 2] = (250, 10, 60)
    return Image.fromarray(np.clip(colours, 0, 255).astype(np.uint8))


def write_pictures():
    for name, size in (("even", (320, 256)), ("odd", (237, 331)), ("tiny", (3, 7)), ("line", (301, 1))):
        picture = scene(*size)
        for kind in ("png", "ppm", "bmp"):
            picture.save(f"{name}.{kind}")
        picture.save(f"{name}.jpg", quality=90)
    picture = scene(161, 121)
    picture.convert("L").save("gray.png")
    picture.convert("L").save("gray.jpg")
    picture.convert("L").save("gray.pgm")
    picture.convert("L").save("gray.bmp")
    picture.convert("1").save("bits.bmp")
    picture.convert("1").save("bits.png")
    picture.quantize(37).save("palette.png")
    picture.quantize(16).save("palette.bmp")
    alpha = picture.convert("RGBA")
    alpha.putalpha(picture.convert("L"))
    alpha.save("alpha.png")
    picture.convert("LA").save("grayalpha.png")
    picture.quantize(9).save("transparent.png", transparency=3)
    picture.save("gamma.png", pnginfo=gamma())
    picture.save("plain444.jpg", quality=95, subsampling=0)
    picture.save("plain422.jpg", quality=85, subsampling=1)
    picture.save("progressive.jpg", quality=70, progressive=True)
    picture.convert("CMYK").save("inks.jpg", quality=95)
    for orientation in range(1, 9):
        for kind in ("jpg", "png"):
            picture.crop((3, 2, 90, 60)).save(f"held{orientation}.{kind}", exif=held(orientation))
    Image.fromarray(random.integers(0, 65536, (41, 53), np.uint16)).save("deep.png")


def held(orientation):
    exif = Image.Exif()
    exif[ExifTags.Base.Make], exif[ExifTags.Base.Orientation] = "a camera", orientation
    return exif


def gamma():
    from PIL.PngImagePlugin import PngInfo
    info = PngInfo()
    info.add(b"gAMA", (100000).to_bytes(4, "big"))
    return info


def identity(name, dims, kind=TensorProto.FLOAT):
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "net", [helper.make_tensor_value_info("x", kind, dims)],
                              [helper.make_tensor_value_info("y", kind, dims)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name)


def quern(net, samples):
    said("run", net, "--input", f"x={samples}", "-o", "out.npz", "--format", "npz")
    with np.load("out.npz") as results:
        return np.concatenate([results[name] for name in sorted(results, key=lambda n: int(n.split("/")[0].split("_")[1]))])


def pillow(path, mode="RGB"):
    picture = Image.open(path)
    if picture.mode.startswith("I;16"):  # by its upper byte, whatever this release makes of it
        picture = Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8))
    return picture.convert(mode)


def shorter_side(picture, side, method):
    w, h = picture.size
    return picture.resize((side, int(side * h / w)) if w <= h else (int(side * w / h), side), method)


def centre_crop(picture, size):
    w, h = picture.size
    if w < size or h < size:
        left, top = max((size - w) // 2, 0), max((size - h) // 2, 0)
        bigger = Image.new(picture.mode, (max(w, size), max(h, size)))
        bigger.paste(picture, (left, top))
        picture, (w, h) = bigger, bigger.size
    left, top = int(round((w - size) / 2.0)), int(round((h - size) / 2.0))
    return picture.crop((left, top, left + size, top + size))


def letterbox(picture, width, height, fill):
    ratio = min(width / picture.width, height / picture.height)
    size = max(round(picture.width * ratio), 1), max(round(picture.height * ratio), 1)
    canvas = Image.new("RGB", (width, height), (fill,) * 3)
    canvas.paste(picture.resize(size, Image.BILINEAR), ((width - size[0]) // 2, (height - size[1]) // 2))
    return canvas


def planes(picture):
    array = np.asarray(picture).astype(np.float32)
    return array.transpose(2, 0, 1)[None] if array.ndim == 3 else array[None, None]


def imagenet(picture):
    return (planes(picture) / np.float32(255) - MEAN[:, None, None]) / STD[:, None, None]


def compare(what, got, want, bound):
    if got.shape != want.shape:
        return check(False, f"{what}: {got.shape}, Pillow {want.shape}")
    worst = float(np.abs(got.astype(np.float64) - want.astype(np.float64)).max())
    check(worst <= bound, f"{what}: differs by at most {worst:g} (bound {bound:g})")


def bound_of(path):
    return 2 if path.endswith(".jpg") else 1 if path == "deep.png" else 0


def upright():
    identity("open.onnx", [1, 3, "h", "w"])
    for orientation in range(1, 9):
        for path in (f"held{orientation}.jpg", f"held{orientation}.png"):
            want = planes(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))
            compare(f"{path} upright", quern("open.onnx", f"{path}:upright,range=0/255"), want, bound_of(path))
    compare("upright without Exif", quern("open.onnx", "odd.png:upright,range=0/255"), planes(pillow("odd.png")), 0)
    first = quern("open.onnx", "held6.png:resize=20,upright,range=0/255")
    compare("upright, then resized", first, planes(shorter_side(ImageOps.exif_transpose(pillow("held6.png")), 20, Image.BILINEAR)), 0)


def decoding():
    identity("open.onnx", [1, 3, "h", "w"])
    identity("gray.onnx", [1, 1, "h", "w"])
    for path in sorted(os.listdir(".")):
        if path.endswith((".jpg", ".png", ".ppm", ".pgm", ".bmp")):
            compare(f"{path}", quern("open.onnx", f"{path}:range=0/255"), planes(pillow(path)), bound_of(path))
            compare(f"{path} gray", quern("gray.onnx", f"{path}:range=0/255"), planes(pillow(path, "L")), bound_of(path))


def resizing():
    methods = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "nearest": Image.NEAREST}
    for width, height in ((224, 224), (96, 100), (500, 31), (1, 1), (640, 641)):
        identity("sized.onnx", [1, 3, height, width])
        for method, filter in methods.items():
            for path in ("even.png", "odd.png", "tiny.png", "line.png", "odd.jpg"):
                got = quern("sized.onnx", f"{path}:range=0/255,method={method},resize")
                compare(f"{path} {method} to {width}x{height}", got, planes(pillow(path).resize((width, height), filter)), 3 if path.endswith("jpg") else 0)


def transforms():
    identity("net.onnx", [1, 3, 224, 224])
    identity("last.onnx", ["n", 224, 224, 3])
    identity("bytes.onnx", [1, 224, 224, 3], TensorProto.UINT8)
    normal = "mean=0.485/0.456/0.406,std=0.229/0.224/0.225"
    for path in ("even.png", "odd.png", "tiny.png", "gray.png", "odd.jpg", "even.jpg"):
        bound = 3 / 255 / 0.224 if path.endswith("jpg") else 0
        for method, filter in (("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC)):
            want = imagenet(centre_crop(shorter_side(pillow(path), 256, filter), 224))
            compare(f"{path} as torchvision has it, {method}", quern("net.onnx", f"{path}:resize=256,crop=224,method={method},{normal}"), want, bound)
            compare(f"{path} channels last", quern("last.onnx", f"{path}:resize=256,crop,method={method},{normal}"), want.transpose(0, 2, 3, 1), bound)
    compare("crop of a small picture", quern("net.onnx", "tiny.png:crop,range=0/255"), planes(centre_crop(pillow("tiny.png"), 224)), 0)
    compare("bgr", quern("net.onnx", "odd.png:channels=bgr,range=0/255"), planes(pillow("odd.png").resize((224, 224), Image.BILINEAR))[:, ::-1], 0)
    for path in ("even.png", "odd.png", "line.png"):
        compare(f"{path} letterbox", quern("net.onnx", f"{path}:letterbox,fill=114,range=-1/1"), planes(letterbox(pillow(path), 224, 224, 114)) / np.float32(255) * np.float32(2) - np.float32(1), 0)
    compare("bytes", quern("bytes.onnx", "odd.png"), np.asarray(pillow("odd.png").resize((224, 224), Image.BILINEAR))[None], 0)


def folders():
    os.makedirs("photos/more")
    for i in range(5):
        scene(60 + i, 50 - i).save(f"photos/{'more/' if i % 2 else ''}{i}.png")
    with open("photos/notes.txt", "w") as file:
        file.write("no picture")
    identity("small.onnx", ["n", 3, 32, 32])
    paths = sorted(f"{folder}/{name}" for folder, _, names in os.walk("photos") for name in names if name.endswith("png"))
    want = np.concatenate([planes(pillow(path).resize((32, 32), Image.BILINEAR)) / np.float32(255) for path in paths])
    compare("a folder in the order of its names", quern("small.onnx", "photos"), want, 0)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_pictures()
    decoding()
    upright()
    resizing()
    transforms()
    folders()
finish("pictures")
