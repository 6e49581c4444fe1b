"""Nets that the benchmarks make of others: each once."""
import os


def made(path, make):
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        make()
    return path


def quantized(quern, source, output, *args):
    """Of `source`, by ranges of random samples where it needs some."""
    ranges = f"{output}.json"

    def make():
        quern.tool("minmax-collect", source, "--random", 1, "-o", ranges)
        quern.tool("quantize", source, "--ranges", ranges, *args, "-o", output)

    return made(output, make)


def wide(quern, nets):
    """MobileNetV2 with 16-bit activations and 8-bit weights, as TFLite."""
    return quantized(quern, f"{nets}/mobilenetv2.onnx", f"{nets}/mobilenetv2_w8a16.tflite", "--type", "w8a16")


def weights_only(quern, nets):
    """BERT with 8-bit weights and float arithmetic, as ONNX."""
    return quantized(quern, f"{nets}/bert.onnx", f"{nets}/bert_wo.onnx", "--type", "wo-i8-sym")
