"""One file quantized by AIMET, in its own Python: ALGORITHM MODEL ROWS.npy INPUT RESULT; called by beside_algorithms.py. Prints the seconds.

Weights alone are quantized, as the algorithms are about them; the ones of 8 bits have one scale a tensor, those of 4 bits one a channel, all symmetric. The algorithm
"all in 8 bits" quantizes activations, too, by its default scheme, and has a scale for each channel.
"""
import os
import sys
import time

import numpy as np
import onnx
from aimet_onnx import QuantizationSimModel, apply_adaround, int4, int8
from aimet_onnx.common.quantsim_config import config_utils
from aimet_onnx.cross_layer_equalization import equalize_model

ITERATIONS = 2000  # as quantize has


def spell_padding(net):
    """AdaRound reads pads alone, of convolutions of stride 1 with odd kernels: what SAME means there."""
    for node in net.graph.node:
        attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
        if node.op_type == "Conv" and attributes.get("auto_pad", b"").startswith(b"SAME") and set(attributes.get("strides", [1, 1])) == {1}:
            kept = [attribute for attribute in node.attribute if attribute.name not in ("auto_pad", "pads")]
            del node.attribute[:]
            node.attribute.extend(kept + [onnx.helper.make_attribute("pads", 2 * [size // 2 for size in attributes["kernel_shape"]])])


algorithm, model, rows, name, result = sys.argv[1:]
begun = time.time()
net = onnx.load(model)
spell_padding(net)
if algorithm == "cle":
    equalize_model(net)
few, full = algorithm in ("4 bits", "adaround"), algorithm == "all in 8 bits"
samples = [{name: row} for row in np.load(rows)]
config = os.path.join(os.path.dirname(config_utils.__file__), f"default_config{'_per_channel' if few or full else ''}.json")
sim = QuantizationSimModel(net, param_type=int4 if few else int8, activation_type=int8, quant_scheme="min_max", config_file=config)
for tensor in () if full else sim.activation_names:
    sim.qc_quantize_op_dict[tensor].enabled = False
if algorithm == "adaround":
    apply_adaround(sim, samples, ITERATIONS)
sim.compute_encodings(samples if full else samples[:1])
onnx.save(sim.to_onnx_qdq(), result)
print(f"\n{time.time() - begun}")
