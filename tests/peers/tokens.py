"""Ids of tokenizers beside llama.cpp's: every rule for words, on the vocabulary of gpt-2 with the rule's name put in, and others as they are.
usage: peer tokens BUILD MODELS. llama.cpp is asked, too, where a Python has it (llama.py)."""
import pathlib
import subprocess
import sys
import tempfile

import gguf_metadata
from llama import llama_python
from token_texts import texts

ASK = """
import json, sys
from llama_cpp import llama_cpp as c
quiet = c.llama_log_callback(lambda *a: None)
c.llama_log_set(quiet, None)
c.llama_backend_init()
how = c.llama_model_default_params()
how.vocab_only = True
model = c.llama_model_load_from_file(sys.argv[1].encode(), how)
if not model:
    sys.exit("llama.cpp does not load it")
vocab = c.llama_model_get_vocab(model)
special = len(sys.argv) > 2
for line in sys.stdin:
    data = bytes.fromhex(line.strip())
    ids = (c.llama_token * (len(data) * 4 + 16))()
    count = c.llama_tokenize(vocab, data, len(data), ids, len(ids), True, special)
    print(*ids[:count], flush=False)
"""

ASK_CHATS = """
import sys
from llama_cpp import llama_cpp as c
talk = [line.split() for line in sys.stdin]
messages = (c.llama_chat_message * len(talk))(*[c.llama_chat_message(r.encode(), bytes.fromhex(t)) for r, t in talk])
for form in sys.argv[1:]:
    shown = [form]
    for prompt in (False, True):
        text = c.ctypes.create_string_buffer(1 << 16)
        size = c.llama_chat_apply_template(form.encode(), messages, len(talk), prompt, text, len(text))
        shown.append(text.raw[:size].hex())
    print(*shown)
"""
TALKS = [[("user", "Hi"), ("assistant", "Hello "), ("user", " Bye\n")], [("system", " Be brief. "), ("user", " Hi"), ("assistant", " Hello "), ("user", "Bye")]]


def chats(python, program):
    """The names of the forms whose texts differ."""
    differ = set()
    for talk in TALKS:
        said = "".join(f"{role} {content.encode().hex()}\n" for role, content in talk)
        ours = subprocess.run([program, "--chats"], input=said, capture_output=True, text=True, check=True).stdout.splitlines()
        forms = [line.split()[0] for line in ours]
        theirs = subprocess.run([python, "-c", ASK_CHATS, *forms], input=said, capture_output=True, text=True, check=True).stdout.splitlines()
        for a, b in zip(ours, theirs, strict=True):
            if a != b:
                differ.add("chat " + a.split()[0])
                print(*[bytes.fromhex(part) for part in a.split()[1:] + b.split()[1:]], sep="\n    ")
        print(f"chats of {len(talk)} messages: {len(forms)} forms")
    return sorted(differ)


def goldens(folder, program, temporary):
    """The names of vocabularies whose ids differ from those that lie beside them."""
    differ = []
    for path in sorted(folder.glob("*.gguf")):
        data = open(f"{path}.inp", "rb").read().split(b"\n__ggml_vocab_test__\n")
        want = [list(map(int, line.split())) for line in open(f"{path}.out").read().splitlines()]
        gguf_metadata.write_tokenizer(temporary / "vocab.json", gguf_metadata.read(path))
        got = [list(map(int, line.split("|")[0].split())) for line in lines([program, temporary / "vocab.json", "--plain"], data)]
        equal = sum(a == b for a, b in zip(got, want))
        print(f"{path.name}: {equal} of {len(want)} goldens")
        if equal != len(want) or not want:
            differ.append(path.name)
    return differ


def lines(command, data):
    done = subprocess.run(command, input="".join(d.hex() + "\n" for d in data), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "failed").splitlines()[-1])
    return done.stdout.split("\n")[:-1]


def compare(label, pairs, data, python, program, folder, special):
    gguf, document = folder / "vocab.gguf", folder / "vocab.json"
    gguf_metadata.write(gguf, pairs)
    gguf_metadata.write_tokenizer(document, pairs)
    flag = ["--special"] if special else []
    theirs = [list(map(int, line.split())) for line in lines([python, "-c", ASK, gguf, *flag], data)]
    ours = [line.split("|")[0] for line in lines([program, document, *flag], data)]
    ours = [list(map(int, line.split())) for line in ours]
    wrong = [i for i in range(len(data)) if ours[i] != theirs[i]]
    print(f"{label}: {len(data) - len(wrong)} of {len(data)} texts have equal ids", flush=True)
    for i in wrong[:3]:
        print(f"    {data[i]!r}\n      ours   {ours[i]}\n      theirs {theirs[i]}")
    return not wrong


def with_rule(pairs, rule):
    changed = dict(pairs)
    changed["tokenizer.ggml.pre"] = gguf_metadata.Typed(gguf_metadata.STRING, rule.encode())
    return changed


def main():
    build, models = map(pathlib.Path, sys.argv[1:3])
    only = sys.argv[3:]
    program = build / "tests" / "token_lines"
    folder = models / "gguf-vocab"
    with tempfile.TemporaryDirectory() as temporary:
        failed = goldens(folder, program, pathlib.Path(temporary))
    python = llama_python()
    if not python:
        print("llama.cpp is not compared with: no Python has llama_cpp (`scripts/peers llama` makes one)")
        return 1 if failed else 77
    failed += chats(python, program)
    gpt2 = gguf_metadata.read(folder / "ggml-vocab-gpt-2.gguf")
    cases = []
    for row in subprocess.run([program, "--rules"], capture_output=True, text=True, check=True).stdout.splitlines():
        for place, name in enumerate(row.split()):  # other names of a rule: that they are names of it
            cases.append((f"rule {name}", with_rule(gpt2, name), False, 1000 if place == 0 else 50))
    for path in [*sorted(folder.glob("*.gguf")), models / "gguf" / "stories260K-F16.gguf"]:
        pairs = gguf_metadata.read(path)
        cases += [(f"{path.name}{' with special tokens' if special else ''}", pairs, special, 1000) for special in (False, True)]
    data = texts(1000)
    with_names = [d + b"<|endoftext|>  x <s>\n" + d[:5] + b"<|user|> \t y</s>" for d in data[:200]]
    with tempfile.TemporaryDirectory() as temporary:
        for label, pairs, special, count in cases:
            if only and not any(word in label for word in only):
                continue
            try:
                equal = compare(label, pairs, (with_names if special else data)[:count], python, program, pathlib.Path(temporary), special)
            except RuntimeError as error:
                print(f"{label}: {error}")
                equal = False
            if not equal:
                failed.append(label)
    print(f"{len(failed)} differ" + "".join(f", {label}" for label in failed))
    return 1 if failed else 0


sys.exit(main())
