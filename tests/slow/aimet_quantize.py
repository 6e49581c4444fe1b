"""One file quantized by AIMET, in its own Python: ALGORITHM MODEL ROWS.npy INPUT RESULT; called by beside_algorithms.py. Prints the seconds.

Weights alone are quantized, as the algorithms are about them; the ones of 8 bits have one scale a tensor, those of 4 bits one a channel, all symmetric.
"""
import json
import sys
import tempfile
import time

import numpy as np
import onnx
from aimet_onnx import QuantizationSimModel, apply_adaround, int4, int8
from aimet_onnx.cross_layer_equalization import equalize_model

ITERATIONS = 2000  # as quantize has
algorithm, model, rows, name, result = sys.argv[1:]
begun = time.time()
net = onnx.load(model)
if algorithm == "cle":
    equalize_model(net)
few = algorithm in ("4 bits", "adaround")
config = {
    "defaults": {"ops": {"is_output_quantized": "True"}, "params": {"is_quantized": "True", "is_symmetric": "True"}, "per_channel_quantization": str(few)},
    "params": {"bias": {"is_quantized": "False"}}, "op_type": {}, "supergroups": [], "model_input": {}, "model_output": {},
}
samples = [{name: row} for row in np.load(rows)]
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    json.dump(config, file)
    file.flush()
    sim = QuantizationSimModel(net, param_type=int4 if few else int8, activation_type=int8, quant_scheme="min_max", config_file=file.name)
for tensor in sim.activation_names:
    sim.qc_quantize_op_dict[tensor].enabled = False
if algorithm == "adaround":
    apply_adaround(sim, samples, ITERATIONS)
sim.compute_encodings(samples[:1])
onnx.save(sim.to_onnx_qdq(), result)
print(f"\n{time.time() - begun}")
