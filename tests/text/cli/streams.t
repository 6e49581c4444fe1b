Standard streams that are closed or full are errors, and no file takes their place.

$ printf '%%y = "onnx.Relu"(%%x) : (tensor<2xf32>) -> tensor<2xf32>\n' > net.mlir
$ model-convert net.mlir -f text -o - >&-
! model-convert: <stdout>: cannot write: Bad file descriptor
? 5
$ model-info net.mlir >&-
! model-info: <stdout>: Bad file descriptor
? 5
$ model-info <&-
! model-info: <stdin>: [...]
? 5
$ model-info net.mlir 2>&- <&- | sed -n 1p
> inputs      x  float32[2]
$ model-convert net.mlir -f text -o - >/dev/full
! model-convert: <stdout>: cannot write: No space left on device
? 5
