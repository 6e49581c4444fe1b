"""tokenizer.json beside the tokenizer that it is made of: ids in PyPI's tokenizers, of every rule for words on the vocabulary of gpt-2 and of the
public vocabularies as they are. usage: peer hugging_face BUILD MODELS"""
import pathlib
import subprocess
import sys
import tempfile

import gguf_metadata
from token_texts import texts
from tokenizers import Tokenizer

build, models = map(pathlib.Path, sys.argv[1:3])
program = build / "tests" / "token_lines"
# What tokenizer.json cannot say, by words of the reason.
REFUSED = {"groups of digits": {"tiny_aya", "afmoe", "superbpe"}, "merges are of characters": {"gemma4", "sarvam-moe"}}


def asked(*arguments, data=()):
    return subprocess.run([program, *map(str, arguments)], input="".join(d.hex() + "\n" for d in data), capture_output=True, text=True)


def compare(label, pairs, data, folder):
    """None, or what is wrong."""
    document, made = folder / "vocab.json", folder / "tokenizer.json"
    gguf_metadata.write_tokenizer(document, pairs)
    done = asked(document, "--hugging-face")
    if done.returncode:
        expected = any(words in done.stderr and label.removeprefix("rule ") in names for words, names in REFUSED.items())
        print(f"{label}: refused, {done.stderr.strip()}")
        return None if expected else label
    made.write_text(done.stdout, encoding="utf-8")
    theirs = Tokenizer.from_file(str(made))
    lines = asked(document, "--special", data=data).stdout.splitlines()
    ours = [(list(map(int, line.split("|")[0].split())), bytes.fromhex(line.split("|")[1])) for line in lines]
    ids = [theirs.encode(text.decode()).ids for text in data]
    wrong = [i for i, (mine, _) in enumerate(ours) if mine != ids[i]]
    back = [i for i, (mine, text) in enumerate(ours) if theirs.decode(mine) != text.decode(errors="replace")]
    print(f"{label}: {len(data) - len(wrong)} of {len(data)} texts have equal ids, {len(data) - len(back)} equal texts again", flush=True)
    for i in wrong[:3]:
        print(f"    {data[i]!r}\n      ours   {ours[i][0]}\n      theirs {ids[i]}")
    for i in back[:2]:
        print(f"    {data[i]!r}: {theirs.decode(ours[i][0])!r}, ours {ours[i][1]!r}")
    return label if wrong or back else None


def is_text(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def main():
    folder = models / "gguf-vocab"
    data = [d for d in texts(1000) if is_text(d)]
    data += [b"", b" ", b"a" * 300, b" " * 100 + b"x", b"<|endoftext|>  x <s>\n<|user|> \t y</s>", b"\n\n\n a\n"]
    gpt2 = gguf_metadata.read(folder / "ggml-vocab-gpt-2.gguf")
    rules = [row.split()[0] for row in asked("--rules").stdout.splitlines()]
    cases = [(f"rule {name}", {**gpt2, "tokenizer.ggml.pre": gguf_metadata.Typed(gguf_metadata.STRING, name.encode())}) for name in rules]
    for path in [*sorted(folder.glob("*.gguf")), models / "gguf" / "stories260K-F16.gguf"]:
        cases.append((path.name, gguf_metadata.read(path)))
    only = sys.argv[3:]
    with tempfile.TemporaryDirectory() as temporary:
        chosen = [case for case in cases if not only or any(word in case[0] for word in only)]
        failed = list(filter(None, (compare(label, pairs, data, pathlib.Path(temporary)) for label, pairs in chosen)))
    print(f"{len(failed)} differ" + "".join(f", {label}" for label in failed))
    return 1 if failed else 0


sys.exit(main())
