"""The made-up additions of tests/slow/additions: the edits of each, and how it is tried."""
import dataclasses


@dataclasses.dataclass
class Addition:
    name: str  # as HACKING.md has it
    # {file: its text, or [(a line's pattern, what goes behind it)]}
    edits: dict
    # For bash, in a folder of its own: the copy's tools are in PATH, the tree is $ROOT, public models are in $MODELS.
    check: str
    needs_models: bool = False


# The operator y = x / 2.
ROW = """
    activation("Halve", eval_activation<[](auto x) { return x / 2; }>, {"u / 2.0f"}, rules::own, "x / 2", {}, Trait::monotone),"""
NET = """cat >net.mlir <<'END'
func.func @net(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = "onnx.Constant"() {value = dense<0.03> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
  %0 = "onnx.MatMul"(%x, %w) : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
  %1 = "onnx.Halve"(%0) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = "onnx.MatMul"(%1, %w) : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
  onnx.Return %y : tensor<1x32xf32>
}
END
"""

OPERATOR = Addition(
    "an operator: in float, in 8 bits, as C",
    {"libcore/ops/onnx/activation.cpp": [(r"^constexpr std::array activation_table\{", ROW)],
     "formats/onnx/versions.cpp": [(r"^    \"(?=HammingWindow 17;)", "Halve 1; ")]},
    NET + """
run net.mlir --random 1 -o reference --reference
minmax-collect net.mlir --random 1 -o ranges.json -q
quantize net.mlir --ranges ranges.json --type i8 -o net-i8.qn -q
run net-i8.qn --random 1 --explain >explained && grep -Eq "Halve.: (lookup|.*works on codes)" explained
codegen net.mlir -p c -o c && cc -std=c99 -pedantic -Werror -c c/*.c
grep -q "/ 2.0f" c/*.c
""")

EVERYWHERE = Addition(
    "the same everywhere: fast, from each front end, to TFLite",
    {"libcore/kernels/simd/loops.cpp": [(r"^struct Relu \{\n.*\n\};", """
struct Halve {
    QUERN_INLINE float of(float x, float, float) { return x / 2.0f; }
};"""), (r"^    UnaryRow\{\"Relu\".*$", """
    UnaryRow{"Halve", unary_loops<Halve>()},""")],
     "libcore/kernels/simd/rows.cpp": [(r"row\(ops::Relu\),", " row(ops::Halve), ")],
     "formats/torch/map/activation.cpp": [(r"^constexpr std::array activation_table\{", """
    MapRow{"aten.halve", "Halve", same<ops::Halve>},""")],
     "formats/tensorflow/map/activation.cpp": [(r"^constexpr std::array activation_table\{", """
    MapRow{"Hlve", "Halve", direct<ops::Halve>},""")],
     "formats/tflite/lower/elementwise.cpp": [(r"^constexpr std::array elementwise_table\{", """
    LowerRow{.op = ops::Halve, .lower = [](Lowering& at) { at.result(Code::MUL, {at.in(0), at.number("half", 0.5f, 0)}); }, .on_reals = true},""")]},
    NET + """
run net.mlir --random 1 --explain >explained && grep -Eq "Halve.: [a-z0-9]+ Halve" explained
model-convert net.mlir -o net.tflite -q && model-info net.tflite >info && grep -q Mul info
python3 - "$MODELS/frontends" <<'END'
import pathlib, sys, zipfile
models = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(models / "torch/resnet_tiny/model.pt2") as old, zipfile.ZipFile("net.pt2", "w") as new:
    for entry in old.infolist():
        new.writestr(entry, old.read(entry).replace(b"aten.relu_.default", b"aten.halve.default"))
pathlib.Path("net.pb").write_bytes((models / "tf/zoo_unary/frozen.pb").read_bytes().replace(b"\\x12\\x04Relu", b"\\x12\\x04Hlve"))
END
for net in net.pt2 net.pb; do model-info $net --json >info && grep -q Halve info; run $net --random 1 -o out; done
""", needs_models=True)

ISA = Addition(
    "inner loops for an instruction set",
    {"libcore/kernels/codes/dot_madeup.cpp": """// A made-up instruction set: the portable loops, which say that they run.
#include <cstdio>

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

void sums(const Panels& panels, const int8_t* weights, int32_t* to) {
    static const bool told = std::fputs("madeup runs\\n", stderr) >= 0;
    if (told) portable_dot.sums(panels, weights, to);
}

}  // namespace

const Dot& madeup_dot() {
    static const Dot made = [] {
        Dot dot = portable_dot;
        dot.name = "madeup";
        dot.sums = sums;
        return dot;
    }();
    return made;
}

}  // namespace quern::codes
""",
     "libcore/kernels/codes/dot.h": [(r"^bool has_avx_vnni\(\);", "\nconst Dot& madeup_dot();")],
     "libcore/kernels/codes/dot.cpp": [(r"^        std::vector<const Dot\*> all;", "\n        all.push_back(&madeup_dot());")]},
    """
minmax-collect "$ROOT/examples/digits/digits.onnx" --random 1 -o ranges.json -q
quantize "$ROOT/examples/digits/digits.onnx" --ranges ranges.json --type i8 -o digits.qn -q
run digits.qn --random 1 -o fast 2>said && grep -q "madeup runs" said
run digits.qn --random 1 --reference -o reference && diff -r fast reference
""")

ARCHITECTURE = Addition(
    "an architecture of GGUF",
    {"formats/gguf/architectures.cpp": [(r'^(?=    Architecture\{\.name = "hunyuan-dense")',
                                         '    Architecture{.name = "grist", .doc = "a made-up one", .whole_shares = true},\n')]},
    """
python3 - "$MODELS/gguf/stories260K-f32.gguf" <<'END'
import pathlib, sys
data = pathlib.Path(sys.argv[1]).read_bytes()
name = len(b"general.architecture").to_bytes(8, "little") + b"general.architecture" + (8).to_bytes(4, "little") + (5).to_bytes(8, "little")
pathlib.Path("net.gguf").write_bytes(data.replace(name + b"llama", name + b"grist").replace(b"llama.", b"grist."))
END
for net in net.gguf "$MODELS/gguf/stories260K-f32.gguf"; do run $net --prompt "Once upon" --predict 8 >>texts; echo >>texts; done
[ "$(sort -u texts | grep -c .)" = 1 ]
""", needs_models=True)

ALGORITHM = Addition(
    "a quantization algorithm",
    {"libcore/quant/algorithms/madeup.cpp": """// A made-up algorithm: says of each layer that it was looked at, and changes nothing.
#include "libcore/quant/algorithms/refine.h"

namespace quern {

AlgorithmReport look_at_layers(AlgorithmRun& run) {
    AlgorithmReport report{"madeup", ""};
    for (const LayerPair& pair : layer_pairs(run, report))
        report.layers.push_back({.layer = name_of(pair), .changed = false, .note = "was looked at"});
    return report;
}

}  // namespace quern
""",
     "libcore/quant/algorithms/algorithm.h": [(r"^AlgorithmReport equalize_layers\(.*$", "\nAlgorithmReport look_at_layers(AlgorithmRun& run);  // madeup.cpp")],
     "libcore/quant/algorithms/algorithm.cpp": [(r"^constexpr std::array rows\{", """
    Algorithm{.name = "madeup", .doc = "layers are looked at", .paper = "none", .cost = "nothing", .when = "never", .after = look_at_layers},""")]},
    """
quantize --list-algorithms | grep -q madeup
minmax-collect "$ROOT/examples/digits/digits.onnx" --random 1 -o ranges.json -q
quantize "$ROOT/examples/digits/digits.onnx" --ranges ranges.json --type i8 --algorithms madeup -o digits.qn --report report.json -q
grep -q "was looked at" report.json
""")

TARGET = Addition(
    "a target",
    {"libcore/place/targets/madeup.json": """{
  "kind": "target",
  "version": 1,
  "name": "madeup",
  "extends": "cpu-ref",
  "doc": "the host processor twice, under another name",
  "basis": "made up"
}
"""},
    """
place --list-targets | grep -q madeup
place "$ROOT/examples/digits/digits.onnx" --target madeup -o digits.qn -q
""")

SAMPLE = Addition(
    "a kind of picture as a sample",
    {"formats/pictures/madeup.cpp": """// Made-up pictures: "MADE", a byte for each side, a byte for each gray pixel.
#include "formats/pictures/picture.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

PictureSize size_of(const Bytes& bytes) {
    if (bytes.size() < 6) throw bad_input("made-up picture: got {} bytes, need a head of 6", bytes.size());
    const auto* head = reinterpret_cast<const uint8_t*>(bytes.data());
    const PictureSize size{head[4], head[5]};
    check_picture_size(size);
    if (bytes.size() != static_cast<size_t>(6 + size.width * size.height))
        throw bad_input("made-up picture: got {} bytes, need {}", bytes.size(), 6 + size.width * size.height);
    return size;
}
Picture decode(const Bytes& bytes) {
    Picture picture(size_of(bytes), 1);
    std::copy_n(reinterpret_cast<const uint8_t*>(bytes.data()) + 6, picture.bytes.size(), picture.bytes.begin());
    return picture;
}

}  // namespace

const PictureKind madeup_pictures{"MADE", [](std::string_view bytes) { return bytes.starts_with("MADE"); }, size_of, decode};

}  // namespace quern
""",
     "formats/pictures/picture.h": [(r"^extern const PictureKind (?=pnm_pictures)", "madeup_pictures, ")],
     "formats/pictures/picture.cpp": [(r"std::array<const PictureKind\*, (?=4)", "1 + "), (r"kinds\{&jpeg_pictures, ", "&madeup_pictures, ")],
     "libcore/base/file_kind.cpp": [(r"^constexpr std::array kinds\{", """
    Kind{"MADE"sv, "a made-up picture", sample},""")]},
    """
{ printf 'MADE\\010\\010'; head -c 64 /dev/zero; } >zeros.made
run "$ROOT/examples/digits/digits.onnx" --input zeros.made -o out
head -c 20 zeros.made >short.made
! run "$ROOT/examples/digits/digits.onnx" --input short.made -o none 2>said
grep -q "made-up picture: got 20 bytes, need 70" said
""")

PANEL = Addition(
    "a panel of a page",
    {"libcore/quant/report/report_html.cpp": [(r"^        \.panels = \{", """
            {.title = "A made-up panel", .cards = {{"{values:count}", "values that the report names"}}},""")]},
    """
minmax-collect "$ROOT/examples/digits/digits.onnx" --random 1 -o ranges.json -q
quantize "$ROOT/examples/digits/digits.onnx" --ranges ranges.json --type i8 -o digits.qn --report page.html -q
grep -q "A made-up panel" page.html && grep -q "values that the report names" page.html
""")

ADDITIONS = [PANEL, OPERATOR, EVERYWHERE, ISA, ARCHITECTURE, ALGORITHM, TARGET, SAMPLE]
