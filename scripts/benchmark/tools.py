"""What every tool takes for a net of 10,000 nodes whose arithmetic is next to nothing; called by scripts/bench.
usage: tools.py BUILD FOLDER [NODES]

Figures are seconds of the processor, however busy the machine is. Everything but arithmetic stays below GOAL; a tool that takes more than
GOAL * TOLERANCE in the best of three tries is a failure (exit 1).
"""
import os
import resource
import subprocess
import sys

GOAL, TOLERANCE = 1.0, 3.0  # caches that others use cost half as much again, and processors differ
build, folder = sys.argv[1:3]
nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
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


def write_net(path):
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


def spent(args):
    """Seconds of the processor that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([f"{build}/bin/{args[0]}", *args[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"bench: {' '.join(args)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    os.makedirs(folder, exist_ok=True)
    net = f"{folder}/net"
    write_net(f"{net}.mlir")
    ranges = ["--ranges", f"{net}.json", "--type", "i8"]
    rows = [
        ("model-convert", f"{net}.mlir", "-o", f"{net}.onnx"),
        ("model-convert", f"{net}.onnx", "-o", f"{net}.qn"),
        ("model-convert", f"{net}.qn", "-o", f"{net}.tflite"),
        ("model-info", f"{net}.onnx"),
        ("minmax-collect", f"{net}.qn", "--random", "1", "--no-histogram", "-o", f"{net}.json"),
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
        ("run", f"{net}.qn", "--random", "1", "--threads", "1"),
        ("run", f"{net}.qctx", "--random", "1", "--threads", "1"),
        ("model-diff", f"{net}.qn", f"{net}_i8.qn", "--random", "1"),
    ]
    missed = []
    for row in rows:
        took = spent(row)
        for _ in range(2):
            if took > GOAL * TOLERANCE:
                took = min(took, spent(row))
        name = " ".join(os.path.basename(word) for word in row[:2]) + (f" ({row[3]})" if row[0] in ("place", "codegen") else f" to {os.path.basename(row[-1])}" if "-o" in row else "")
        print(f"{nodes} nodes  {name:<52} {took:6.2f} s of the processor{'' if took <= GOAL else f', goal {GOAL:.2f}'}", flush=True)
        if took > GOAL * TOLERANCE:
            missed.append(f"{name}: {took:.2f} s, goal {GOAL:.2f}")
    if missed:
        sys.exit("bench: missed by far: " + "; ".join(missed))


main()
