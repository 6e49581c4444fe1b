"""What tests/slow/additions does. usage: additions.py BUILD

Each addition is a list of edits: a file of the tree with a line after which text goes, or a new file. The files must be those that HACKING.md lists for
the addition; <name> in the list stands for the new file's name. All additions go into one copy, which is built once; then each is tried."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
from additions_list import ADDITIONS  # noqa: E402


def listed():
    """{addition: files that HACKING.md lists for it}"""
    text = (ROOT / "HACKING.md").read_text()
    table = text.split("## What a change touches", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", table, re.M)
    return {name.strip(): set(re.findall(r"`([^`]+)`", files)) for name, files in rows if "`" in files}


def matches(file, pattern):
    return re.fullmatch(re.sub(r"<\w+>", r"\\w+", re.escape(pattern).replace(r"\<", "<").replace(r"\>", ">")), file) is not None


def differences(addition, patterns):
    for file in addition.edits:
        if not any(matches(file, pattern) for pattern in patterns):
            yield f"needs {file}, which HACKING.md does not list"
    for pattern in patterns:
        if not any(matches(file, pattern) for file in addition.edits):
            yield f"does not need {pattern}, which HACKING.md lists"


def apply(addition, copy):
    for file, edit in addition.edits.items():
        path = copy / file
        if isinstance(edit, str):
            path.write_text(edit)
            continue
        text = path.read_text()
        for pattern, added in edit:
            found = re.search(pattern, text, re.M)
            if not found:
                sys.exit(f"additions: {addition.name}: {file} has no line {pattern}")
            text = text[:found.end()] + added + text[found.end():]
        path.write_text(text)


def build(copy, targets):
    folder = copy / "build"
    with open(copy / "build.log", "w") as log:
        for command in (["cmake", "-S", copy, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DQUERN_TESTS=OFF", "-DQUERN_WERROR=ON"],
                        ["cmake", "--build", folder, "--target", *targets]):
            if subprocess.run(command, stdout=log, stderr=log).returncode:
                sys.exit("additions: the copy does not compile:\n" + "\n".join((copy / "build.log").read_text().splitlines()[-40:]))
    return folder


def tried(addition, folder, work):
    """Nothing, or what went wrong."""
    if addition.needs_models and not (ROOT / "../shared/models").is_dir():
        print(f"{addition.name}: not tried, the folder of public models is not there")
        return
    place = work / re.sub(r"\W+", "-", addition.name)
    place.mkdir()
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "ROOT": str(ROOT), "MODELS": str(ROOT / "../shared/models")}
    done = subprocess.run(["bash", "-xeuo", "pipefail", "-c", addition.check], cwd=place, env=environment, capture_output=True, text=True)
    if done.returncode:
        yield f"exit {done.returncode}: {(done.stdout + done.stderr).strip()}"


def main():
    lists, faults = listed(), 0
    with tempfile.TemporaryDirectory(prefix="quern-additions-", dir=sys.argv[1]) as work:
        work = pathlib.Path(work)
        copy = work / "copy"
        for file in subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0"):
            if file and (ROOT / file).is_file():
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, copy / file)
        for addition in ADDITIONS:
            apply(addition, copy)
        folder = build(copy, ["all"])
        for addition in ADDITIONS:
            found = [*differences(addition, lists.pop(addition.name, set())), *tried(addition, folder, work)]
            faults += len(found)
            for fault in found:
                print(f"{addition.name}: {fault}")
        for name in lists:
            faults += 1
            print(f"{name}: HACKING.md lists it, nothing tries it")
    print(f"additions: {len(ADDITIONS)} made-up ones, {faults} faults")
    return 1 if faults else 0


sys.exit(main())
