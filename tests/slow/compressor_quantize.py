"""One file quantized by onnx-neural-compressor, in its own Python: ALGORITHM MODEL ROWS.npy INPUT RESULT; called by beside_algorithms.py. Prints the seconds."""
import sys
import time

import numpy as np
import onnx
from onnx_neural_compressor import data_reader
from onnx_neural_compressor.quantization import QuantFormat, QuantType, config, quantize
from onnx_neural_compressor.quantization import matmul_nbits_quantizer as nbits

algorithm, model, rows, name, result = sys.argv[1:]


class Reader(data_reader.CalibrationDataReader):
    def __init__(self):
        self.rewind()

    def rewind(self):
        self.rows = iter(np.load(rows))

    def get_next(self):
        row = next(self.rows, None)
        return None if row is None else {name: row}


begun = time.time()
if algorithm in ("8 bits", "smoothquant"):
    static = config.StaticQuantConfig(Reader(), quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True,
                                      op_types_to_quantize=["MatMul", "Gather"], extra_options={"SmoothQuant": algorithm == "smoothquant"})
    quantize(model, result, static)
else:
    made = {"rounding": nbits.RTNWeightOnlyQuantConfig, "awq": lambda: nbits.AWQWeightOnlyQuantConfig(Reader()),
            "gptq": lambda: nbits.GPTQWeightOnlyQuantConfig(Reader(), block_size=32)}
    quantizer = nbits.MatMulNBitsQuantizer(model, block_size=32, is_symmetric=True, n_bits=4, algo_config=made[algorithm]())
    quantizer.process()
    onnx.save(quantizer.model, result)
print(f"\n{time.time() - begun}")  # behind a bar of progress
