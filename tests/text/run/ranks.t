Tensors of more dims than a library of kernels takes run by other kernels, in a context, too.

$ (d=tensor'<1x2x1x1x1x2x1x1x1x1x1x1x2xf32>'; echo "func.func @net(%x: $d) -> $d {"; echo '  %y = "onnx.Relu"(%x) : '"($d) -> $d"; echo '  %z = "onnx.Softmax"(%y) {axis = -1 : si64} : '"($d) -> $d"; echo '  %s = "onnx.Add"(%z, %x) : '"($d, $d) -> $d"; echo '  return %s : '"$d"; echo '}') > net.mlir
$ run net.mlir --random 3 -o plain && codegen net.mlir -p context -o net.qctx && run net.qctx --random 3 -o context && cmp plain/Result_0/s.raw context/Result_0/s.raw
$ run net.mlir --random 3 --reference -o reference && model-diff plain reference
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0      1.52421  s (output)

A list of inputs may come through a pipe.
$ head -c 32 /dev/zero > one.raw; echo one.raw | run net.mlir --input-list /dev/stdin -o piped && ls piped
> Result_0
$ run net.mlir --input-list <(echo one.raw; echo one.raw) -o piped && ls piped
> Result_0
> Result_1
