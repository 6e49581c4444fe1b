A file has the arithmetic of its runtime: a net that was read from TFLite has ONNX's in ONNX files and onert's in Circle; quern's own files keep what was read.
$ minmax-collect "$NETS/gemm_relu.mlir" --random 1 --rows 4 -q -o r.json && quantize "$NETS/gemm_relu.mlir" --ranges r.json --type u8-asym -q -o net.tflite
$ for suffix in tflite circle onnx qn; do model-convert net.tflite -q -o other.$suffix && run other.$suffix --random 1 | grep -o 'profile [a-z]*'; done
> profile tflite
> profile one
> profile onnx
> profile tflite
$ model-convert other.circle -q -o there.onnx && run there.onnx --random 1 | grep -o 'profile [a-z]*'; model-convert other.onnx -q -o back.tflite && run back.tflite --random 1 | grep -o 'profile [a-z]*'
> profile onnx
> profile tflite
$ model-convert "$NETS/gemm_relu.mlir" -o float.tflite && minmax-collect float.tflite --random 1 --rows 4 -q -o r.json && quantize float.tflite --ranges r.json --type u8i8 -q -o direct.onnx && run direct.onnx --random 1 | grep -o 'profile [a-z]*'
> profile onnx
