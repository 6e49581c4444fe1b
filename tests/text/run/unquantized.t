Integer runs of a model without encodings, and types that find nothing, are said.

$ run $EXAMPLES/digits/digits.onnx --random 1 --mode int | sed -n 1p
> mode     int, 2 threads, 1 sample, 1 run
! run: [...]digits.onnx: nothing in it is quantized: --mode int computes in float
