Operators of an integer run that read and make codes but compute on real numbers are named; --strict refuses them.

$ cp "$NETS/softmax.mlir" net.mlir && minmax-collect net.mlir --random 1 --rows 4 -o r.json && quantize net.mlir --type w8a16 --ranges r.json --full-integer -f tflite -o q.tflite
$ run q.tflite --random 1 --mode int --strict --explain | head -2
> s (Softmax): profile
> y (Sigmoid): profile
$ run q.tflite --random 1 --mode int --arithmetic onnx --explain | head -1
> s (Softmax): reference;[...] on real numbers: profile onnx has no integer kernel for it
! run: 2 operators on codes compute on real numbers: Softmax ("s": profile onnx has no integer kernel for it), Sigmoid ("y": profile onnx has no integer kernel for it)
$ run q.tflite --random 1 --mode int --arithmetic onnx --strict
! run: 2 operators on codes compute on real numbers
!   Softmax ("s": profile onnx has no integer kernel for it)
!   Sigmoid ("y": profile onnx has no integer kernel for it)
? 1
