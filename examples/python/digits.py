"""From a float model to a quantized one in a script: python3 digits.py MODEL OUTPUT [TYPE].

Records ranges of random images, quantizes, and says how far the scores have moved. Take samples of your own for a model to be used.
"""
import sys

import numpy
import quern

model, output, kind = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "i8"
images = numpy.random.default_rng(1).random((32, 1, 1, 8, 8), numpy.float32)
with quern.Session(model, log=print) as session:
    print("inputs:", *session.inputs, " outputs:", *session.outputs)
    with session.recording():
        before = [next(iter(session.run(image).values())) for image in images]
    session.quantize(kind, output)
    after = [next(iter(session.run(image).values())) for image in images]
noise = numpy.square(numpy.subtract(after, before)).sum()
print(f"SQNR {10 * numpy.log10(numpy.square(before).sum() / noise):.1f} dB")
