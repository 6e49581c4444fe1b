"""A net of any number of nodes whose arithmetic is next to nothing, the tools that read it, and what they take.
usage: big_net.py FILE NODES, which writes the net
"""
import os
import subprocess
import sys

CHANNELS, SIDE = 4, 4


def number(i):
    return (i * 2654435761 % 1000 - 500) / 1000.0


def constant(name, shape, seed):
    count = 1
    for dim in shape:
        count *= dim
    flat = [f"{number(seed + i):.4f}" for i in range(count)]
    for dim in reversed(shape):
        flat = ["[" + ", ".join(flat[i : i + dim]) + "]" for i in range(0, len(flat), dim)]
    form = "x".join(map(str, shape)) + "xf32"
    return f'%{name} = "onnx.Constant"() {{value = dense<{flat[0]}> : tensor<{form}>}} : () -> tensor<{form}>', form


def write_net(path, nodes):
    """Blocks of two convolutions with a way around them, a gate, and a join with what an earlier block made."""
    data = f"tensor<1x{CHANNELS}x{SIDE}x{SIDE}xf32>"
    lines, last, count, block = [], "x", 0, 0
    earlier = ["x"] * 8

    def node(op, operands, types):
        nonlocal count
        count += 1
        lines.append(f'%v{count} = "onnx.{op}"({", ".join("%" + o for o in operands)}) : ({", ".join(types)}) -> {data}')
        return f"v{count}"

    def conv(source):
        weights, form = constant(f"w{count}", (CHANNELS, CHANNELS, 1, 1), count)
        bias, short = constant(f"b{count}", (CHANNELS,), count + 7)
        lines.extend((weights, bias))
        return node("Conv", (source, f"w{count}", f"b{count}"), (data, f"tensor<{form}>", f"tensor<{short}>"))

    while count < nodes:
        inner = node("Relu", (conv(last),), (data,))
        inner = conv(inner)
        around = node("Add", (inner, last), (data, data))
        gate = node("Sigmoid", (around,), (data,))
        gated = node("Mul", (around, gate), (data, data))
        joined = node("Add", (gated, earlier[block % 8]), (data, data))
        last = node("Tanh", (joined,), (data,))
        earlier[block % 8] = last
        block += 1
    with open(path, "w") as file:
        file.write(f"func.func @net(%x: {data}) -> ({data}) {{\n" + "\n".join("  " + line for line in lines) + f"\n  onnx.Return %{last} : {data}\n}}\n")


def rows(net, *sample):
    """Commands over `net`.mlir, each with what earlier ones made; samples as the options say."""
    ranges = ["--ranges", f"{net}.json", "--type", "i8"]
    sample = sample or ("--random", "1")
    return [
        ("model-convert", f"{net}.mlir", "-o", f"{net}.onnx"),
        ("model-convert", f"{net}.onnx", "-o", f"{net}.qn"),
        ("model-convert", f"{net}.qn", "-o", f"{net}.tflite"),
        ("model-info", f"{net}.onnx"),
        ("minmax-collect", f"{net}.qn", *sample, "--no-histogram", "-o", f"{net}.json"),
        ("quantize", f"{net}.qn", *ranges, "--method", "min-max", "-o", f"{net}_i8.qn"),
        ("quantize", f"{net}.qn", *ranges, "--method", "min-max", "-o", f"{net}_i8.onnx"),
        ("quantize", f"{net}.qn", *ranges, "--method", "min-max", "-o", f"{net}_i8.tflite"),
        ("place", f"{net}_i8.qn", "--target", "ethos-u55-128", "-o", f"{net}_placed.qn"),
        ("place", f"{net}_i8.tflite", "--target", "ethos-u55-128", "-o", f"{net}_placed.qn"),
        ("place", f"{net}_i8.onnx", "--target", "htp", "-o", f"{net}_placed.qn"),
        ("place", f"{net}.qn", "--target", "two-npu", "--as", "float", "--report", f"{net}.html", "-o", f"{net}_placed.qn"),
        ("codegen", f"{net}.qn", "--plugin", "context", "-o", f"{net}.qctx"),
        ("codegen", f"{net}_i8.qn", "--plugin", "c", "-o", f"{net}_c"),
        ("codegen", f"{net}_i8.qn", "--plugin", "cpp", "-o", f"{net}_cpp"),
        ("run", f"{net}.qn", *sample, "--threads", "1"),
        ("run", f"{net}.qctx", *sample, "--threads", "1"),
        ("model-diff", f"{net}.qn", f"{net}_i8.qn", *sample),
    ]


def name_of(row):
    """ "place net_i8.qn (htp)"."""
    words = " ".join(os.path.basename(word) for word in row[:2])
    return words + (f" ({row[3]})" if row[0] in ("place", "codegen") else f" to {os.path.basename(row[-1])}" if "-o" in row else "")


def spent(build, args):
    """Seconds of the processor that a command takes, and its peak of resident memory in bytes."""
    with subprocess.Popen([f"{build}/bin/{args[0]}", *args[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"bench: {' '.join(args)} ended with {child.returncode}: {errors.strip()[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


if __name__ == "__main__":
    write_net(sys.argv[1], int(sys.argv[2]))
