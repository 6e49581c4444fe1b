"""Every integer operator of TFLite, one at a time, beside TensorFlow Lite Micro; called by tests/peers/peer.
usage: micro.py BUILD MODELS [PATTERN]"""
from tflite_micro.python.tflite_micro import runtime

from operator_cases import I8, I16, U8
from operators import sweep

LEFT_OUT = {
    "UNIDIRECTIONAL_SEQUENCE_LSTM hybrid": ((I8,), "the kernel reads the codes as real numbers"),
    "GREATER": ((I16,), "TFLite Micro compares with scales that it has not set"),
    "SPACE_TO_BATCH_ND": ((I8,), "TFLite Micro pads with another code than that of 0"),
    "ZEROS_LIKE": ((I8,), "TFLite Micro fills with the code 0, whatever number that is"),
    "CUMSUM": ((I8,), "has no integer kernel in LiteRT and none here"),
    "MIRROR_PAD 1": ((I8, U8, I16), "symmetric padding is kept as it is and not run"),
    **{f"TRANSPOSE_CONV {window} {per} bias int32": ((I16,), "TFLite Micro reads 64-bit biases")
       for window in ("1 S", "2 S", "2 V") for per in ("tensor", "channels")},
    "TRANSPOSE_CONV edge no bias 2": ((I16,), "TFLite Micro sums in 64 bits"),
}


def micro(path, row):
    interpreter = runtime.Interpreter.from_file(path, arena_size=1 << 20)
    for i, array in enumerate(row):
        interpreter.set_input(array, i)
    interpreter.invoke()
    return [interpreter.get_output(0)]


sweep(micro, "tflm", LEFT_OUT)
