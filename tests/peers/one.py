"""Integer operators of TFLite, one at a time, beside onert's cpu back-end; called by tests/peers/peer.
usage: one.py BUILD MODELS [PATTERN]"""
from onert.native.libnnfw_api_pybind import infer, prepare_config

from operator_cases import I8, I16, U8
from operators import sweep

ALL = (I8, U8, I16)
LEFT_OUT = {
    "ARG_MAX": ((I8,), "onert takes signed codes for unsigned ones"),
    "ARG_MIN": ((I8,), "onert takes signed codes for unsigned ones"),
    "QUANTIZE float": ((I8,), "onert clips signed codes to the range of unsigned ones"),
    "CONV_2D 1 S 1 2": (ALL, "onert computes convolutions with groups as if they had one"),
    "FULLY_CONNECTED hybrid channels": (ALL, "onert takes the first of the scales"),
    "FULLY_CONNECTED hybrid tensor asymmetric True": (ALL, "onert rounds activations symmetrically whatever the file asks for"),
    **{f"FULLY_CONNECTED {which}": ((U8,), "onert's kernel knows one scale and computes nonsense from more") for which in ("channels", "ties True", "no bias True")},
    "SUM": (ALL, "onert sums codes with their zero points"),
    "SPLIT_V": (ALL, "onert's results are not parts of the operand"),
}


def onert(path, row):
    session = infer.nnfw_session(path, "cpu")
    session.set_prepare_config(prepare_config.ENABLE_INTERNAL_OUTPUT_ALLOC)
    session.prepare()
    for i, array in enumerate(row):
        session.set_input(i, array)
    session.run()
    return [session.get_output(i) for i in range(session.output_size())]


if __name__ == "__main__":
    sweep(onert, "one", LEFT_OUT)
