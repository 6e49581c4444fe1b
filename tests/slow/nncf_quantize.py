"""One file quantized by NNCF, in its own Python: ALGORITHM MODEL ROWS.npy INPUT RESULT; called by beside_algorithms.py. Prints the seconds.

Its transformer mode quantizes what products read, and leaves their results float; without it everything that it has a form for gets 8 bits.
"""
import sys
import time

import nncf
import numpy as np
import onnx
from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters, AdvancedSmoothQuantParameters

algorithm, model, rows, name, result = sys.argv[1:]
begun = time.time()
samples = list(np.load(rows))
alpha = {} if algorithm == "smoothquant" else {"smooth_quant_alphas": AdvancedSmoothQuantParameters(convolution=-1, matmul=-1)}
mode = {} if algorithm == "all in 8 bits" else {"model_type": nncf.ModelType.TRANSFORMER}
quantized = nncf.quantize(onnx.load(model), nncf.Dataset(samples, lambda row: {name: row}), subset_size=len(samples),
                          advanced_parameters=AdvancedQuantizationParameters(**alpha), **mode)
onnx.save(quantized, result)
print(f"\n{time.time() - begun}")
