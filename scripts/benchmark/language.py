"""Text of a language model beside llama.cpp, if a Python has it (`scripts/peers llama`): a synthetic GGUF model in several types.

usage, for the peer's process: language.py MODEL IDS THREADS TOKENS, or language.py MODEL OUTPUT TYPE
"""
import ctypes
import json
import os
import subprocess
import sys
import time

PROMPT, TOKENS = 128, 64
SHORT = 8  # tokens of the prompt before the first token: what is loaded counts, not the prompt
TYPES = ("q4_0", "q4_k", "q8_0")
MIXES = {"q4_0": 2, "q8_0": 7, "q4_k_s": 14}  # and their numbers in llama.h


def llama_python():
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tests/peers"))
    import llama

    return llama.llama_python()


def models(quern, folder, maker, python):
    """The synthetic model and its forms in other types, made once: {type: path}."""
    plain = f"{folder}/language.gguf"
    if not os.path.exists(plain):
        subprocess.run([python, maker, plain], check=True, stdout=subprocess.DEVNULL)
    made = {}
    for name in TYPES:
        made[name] = f"{folder}/language-{name}.gguf"
        if not os.path.exists(made[name]):
            quern.tool("quantize", plain, "--type", name, "-o", made[name])
    return made


def ids_file(folder, count):
    path = f"{folder}/language-{count}.ids"
    with open(path, "w", encoding="ascii") as file:
        file.write(" ".join(str(i * 7919 % 32000) for i in range(count)))
    return path


def watched(command):
    """What the process prints; its seconds up to the first byte, and in all; its peak in bytes."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read(1)
    first = time.perf_counter() - started
    text += process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"bench: {' '.join(command)} failed with {status}")
    return text, first, time.perf_counter() - started, usage.ru_maxrss * 1024


def ours(quern, path, folder, threads):
    """Tokens a second of prompt and decoding; seconds from the start of the process to the first token of a short prompt; its peak in bytes."""
    command = [f"{quern.build}/bin/run", path, "--arithmetic", "ggml", "--threads", str(threads), "--prompt-tokens"]
    text, _, _, peak = watched([*command, ids_file(folder, PROMPT), "-n", str(TOKENS), "--json"])
    _, first, _, _ = watched([*command, ids_file(folder, SHORT), "-n", "1"])
    report = json.loads(text)
    return {"prompt": report["prompt_tokens_per_second"], "decode": report["decode_tokens_per_second"], "first": first, "peak": peak}


def theirs(python, path, folder, threads):
    """The same; the first token's seconds from the call that loads the model."""
    measured = by_peer(python, path, ids_file(folder, PROMPT), threads, TOKENS)
    return measured | {"first": by_peer(python, path, ids_file(folder, SHORT), threads, 1)["first"]}


def by_peer(python, *args):
    return json.loads(watched([python, __file__, *map(str, args)])[0])


def kept(best, run):
    """The best of both: the least seconds and bytes, the most tokens a second."""
    return {name: (min if name in ("first", "peak") else max)(number, best.get(name, number)) for name, number in run.items()}


def beside_llama(quern, python, path, folder, what, threads, rounds):
    """Speeds as llama.cpp's over quern's; first token and memory as quern's over llama.cpp's and over the file with its caches."""
    best, peer = {}, {}
    for _ in range(rounds):
        peer = kept(peer, theirs(python, path, folder, threads))
        best = kept(best, ours(quern, path, folder, threads))
    caches = 8 * 2 * 2048 * 4 * (PROMPT + TOKENS)  # layers, keys and values, width, float32
    return {
        f"decode {what}": (peer["decode"] / best["decode"], f"tokens/s: quern {best['decode']:.1f}  llama.cpp {peer['decode']:.1f}"),
        f"prompt {what}": (peer["prompt"] / best["prompt"], f"tokens/s: quern {best['prompt']:.1f}  llama.cpp {peer['prompt']:.1f}"),
        f"first token {what}": (best["first"] / peer["first"], f"s: quern {best['first']:.2f}  llama.cpp {peer['first']:.2f}"),
        f"memory {what}": (best["peak"] / (os.path.getsize(path) + caches), f"MB: quern {best['peak'] / 1e6:.0f}  llama.cpp {peer['peak'] / 1e6:.0f}"),
    }


def quantizing(quern, python, folder, name, rounds):
    """Seconds as quern's over llama.cpp's; megabytes beyond the mapped input."""
    plain, output = f"{folder}/language.gguf", f"{folder}/quantized.gguf"
    best, peer, peak = float("inf"), float("inf"), 0
    for _ in range(rounds):
        peer = min(peer, by_peer(python, plain, output, MIXES[name])["seconds"])
        _, _, seconds, bytes_ = watched([f"{quern.build}/bin/quantize", plain, "--type", name, "--threads", "2", "-o", output])
        best, peak = min(best, seconds), max(peak, bytes_)
    os.remove(output)
    return {
        f"quantize to {name}": (best / peer, f"s: quern {best:.2f}  llama.cpp {peer:.2f}"),
        f"quantize to {name}, MB beyond the input": ((peak - os.path.getsize(plain)) / 1e6, f"MB: {peak / 1e6:.0f} in all"),
    }


def quiet_llama():
    """llama.cpp, begun, without its log."""
    import llama_cpp as llama

    quiet_llama.silent = llama.llama_log_callback(lambda level, text, data: None)
    llama.llama_log_set(quiet_llama.silent, None)
    llama.llama_backend_init()
    return llama


def quantize_by_peer(path, output, number):
    llama = quiet_llama()
    params = llama.llama_model_quantize_default_params()
    params.ftype, params.nthread = number, 2
    started = time.perf_counter()
    if llama.llama_model_quantize(path.encode(), output.encode(), ctypes.byref(params)):
        sys.exit("llama_model_quantize failed")
    print(json.dumps({"seconds": time.perf_counter() - started}))


def measure_peer(path, ids, threads, tokens):
    import numpy as np
    from resident import status

    with open(ids, encoding="ascii") as file:
        prompt = [int(word) for word in file.read().split()]
    llama = quiet_llama()
    started = time.perf_counter()
    model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
    params = llama.llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = len(prompt) + tokens, 512, 512
    params.n_threads = params.n_threads_batch = threads
    context = llama.llama_init_from_model(model, params)
    size = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))

    def feed(ids):
        tokens = (llama.llama_token * len(ids))(*ids)  # the batch has its address
        if llama.llama_decode(context, llama.llama_batch_get_one(tokens, len(ids))):
            sys.exit("llama_decode failed")
        logits = ctypes.cast(llama.llama_get_logits_ith(context, -1), ctypes.POINTER(ctypes.c_float))
        return int(np.ctypeslib.as_array(logits, shape=(size,)).argmax())

    begun = time.perf_counter()
    token = feed(prompt)
    read = time.perf_counter()
    for _ in range(tokens - 1):
        token = feed([token])
    wrote = time.perf_counter()
    speeds = {"prompt": len(prompt) / (read - begun), "decode": (tokens - 1) / (wrote - read)}
    print(json.dumps(speeds | {"first": read - started, "peak": status("VmHWM")}))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        quantize_by_peer(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        measure_peer(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
