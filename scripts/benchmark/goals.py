"""Goals of the benchmarks and what becomes of them: each figure beside its goal, as a row that says whether it is reached.

A figure that is beyond its goal times the tolerance of its kind, in the best of three tries, is a failure: machines are noisy, and a slow-down
worth a failure is larger. Goals that are not reached yet have a tolerance of FAR.
"""
FAR = 5.0
FAR_BY_ONEDNN = 15.0  # starts of small nets, or without AVX-512: oneDNN's loading and code alone take several times what the goal allows (docs/performance.md)
NOISE = 3.0  # what is further beyond its tolerance is not tried again

# Latency of int8 nets over onnxruntime's, by the instruction that multiplies codes: what its peak leaves room for.
INT8 = {
    "amx": {"resnet50_qdq": 0.35, "mobilenetv2_qdq": 0.5, "bert_qdq": 0.3},
    "avx512-vnni": {"resnet50_qdq": 0.8, "mobilenetv2_qdq": 0.5, "bert_qdq": 0.5},
    "avx-vnni": {"resnet50_qdq": 1.0, "mobilenetv2_qdq": 0.7, "bert_qdq": 0.6},
    "avx2": {"resnet50_qdq": 1.1, "mobilenetv2_qdq": 0.8, "bert_qdq": 0.8},
}
FLOAT = 1.3  # latency over onnxruntime's
BUSY = 1.2  # the same beside busy processes
TFLITE = 1.2  # latency of int8 TFLite over LiteRT with XNNPACK
WIDE = 1.2  # int16x8 over LiteRT's own kernels, as XNNPACK has none
DYNAMIC = 0.8  # over onnxruntime's, as of the same net with fixed encodings
WEIGHTS_ONLY = 1.3  # over onnxruntime's, as float
MINMAX, HISTOGRAMS = 1.05, 1.5  # collecting over float inference of the same samples
QUANTIZE = 1.0  # seconds for ResNet50
START, START_SMALL = 0.03, 0.3  # of a context over the creation of onnxruntime's session; nets under 2 MB
RESIDENT = 0.7  # peak of a float run over onnxruntime's
RESIDENT_BEYOND = 25  # MB beyond weights and arena: integer runs
# Text: llama.cpp's tokens a second over quern's; quern's seconds over llama.cpp's; quern's memory over that of the file and its caches.
LANGUAGE = {"decode": 1.0, "prompt": 1.25, "first token": 0.5, "memory": 1.05}
REQUANTIZE = {"q4_0": 0.2, "q8_0": 0.2, "q4_k_s": 0.33}  # seconds over llama.cpp's, from float16
REQUANTIZE_BEYOND = 100  # MB beyond the mapped input
QNN_PREPARE, QNN_CONTEXT = 1.7, 1.1  # over onnxruntime's own products for QNN: seconds to prepare, size of the context
QNN_MOST = {"ultraface_rfb_320_simplified w8u16": (1.5, 700)}  # seconds and KB of some products
CONTEXT_BEYOND = 40  # MB beyond weights and arena: float contexts


class Board:
    """Collects figures with their goals."""

    def __init__(self):
        self.reached, self.open, self.far = [], [], []

    def hold(self, measure, goal, tolerance=FAR):
        """Rows of `measure`, which gives {what: (figure, words)}: all with this goal, or with those of a dict. Again, at most twice, while one is
        somewhat beyond its tolerance: the best counts."""
        rows = measure()
        limit = {what: goal[what] if isinstance(goal, dict) else goal for what in rows}
        for _ in range(2):
            excess = max(figure / (limit[what] * tolerance) for what, (figure, _) in rows.items())
            if excess <= 1 or excess > NOISE:
                break
            again = measure()
            rows = {what: min(row, again[what], key=lambda found: found[0]) for what, row in rows.items()}
        for what, (figure, words) in rows.items():
            self.add(what, figure, limit[what], tolerance, words)

    def add(self, what, figure, goal, tolerance, words):
        state = "reached" if figure <= goal else "NOT REACHED" if figure <= goal * tolerance else "MISSED BY FAR"
        line = f"{what}: {figure:.3g}, goal {goal:g}"
        {"reached": self.reached, "NOT REACHED": self.open, "MISSED BY FAR": self.far}[state].append(line)
        print(f"{what:<44} {figure:8.3f}  goal {goal:<5g} {state:<13} {words}", flush=True)

    def summary(self):
        """Prints it; the exit code."""
        print(f"{len(self.reached)} of {len(self.reached) + len(self.open) + len(self.far)} goals are reached")
        for line in self.open:
            print(f"  not reached: {line}")
        for line in self.far:
            print(f"  missed by far: {line}")
        return 1 if self.far else 0
