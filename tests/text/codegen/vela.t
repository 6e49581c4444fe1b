The generator vela calls the program on the PATH; here a stand-in that does what it is told.

$ PATH=$(dirname $(command -v codegen)) codegen $EXAMPLES/digits/digits.onnx -p vela -o v.tflite
! codegen: [...]digits.onnx: vela is not installed: there is no such program on the PATH
! hint: pip install ethos-u-vela
? 4
$ mkdir bin && cat > bin/vela <<'END'
+ #!/bin/sh
+ echo "$2 $3 $5 $6 $7 $8" | sed 's/[^ ]*model.tflite//' >&2
+ mkdir -p $3 && cp $1 $3/model_vela.tflite
+ echo "CPU operators = 2 (10.0%)"
+ echo "NPU operators = 18 (90.0%)"
+ printf 'experiment,cycles_total\ndefault,1234\n' > $3/s.csv
+ END
$ chmod +x bin/vela && PATH=$PWD/bin:$PATH codegen $EXAMPLES/digits/digits.onnx -p vela --preference size -o v.tflite -v && model-info v.tflite | sed -n 1p
> graph       [...]
! codegen: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
! codegen: not on the NPU: CPU operators = 2 (10.0%)
! codegen: node "image_nhwc" (onnx.Reshape): ethos-u cannot run it: storage of input 0 is float32, need int8, uint8, int16, int32 or int64 (quantize the model first if it is float)
! codegen: node "relu1/Conv" (onnx.Conv): ethos-u cannot run it: storage of input 0 is float32, need int8, uint8, int16, int32 or int64 (quantize the model first if it is float)
! codegen: node "relu1" (onnx.Relu): ethos-u cannot run it: storage of input 0 is float32, need int8, uint8, int16, int32 or int64 (quantize the model first if it is float)
! codegen: node "pool1" (onnx.MaxPool): ethos-u cannot run it: storage of input 0 is float32, need int8, uint8, int16, int32 or int64 (quantize the model first if it is float)
! codegen: node "relu2/Conv" (onnx.Conv): ethos-u cannot run it: storage of input 0 is float32, need int8, uint8, int16, int32 or int64 (quantize the model first if it is float)
! codegen: ... and 4 more: place --target ethos-u55-128 says which
! codegen: wrote v.tflite
! codegen: CPU operators = 2 (10.0%)
! codegen: NPU operators = 18 (90.0%)
! codegen: cycles_total 1234
$ printf '#!/bin/sh\necho "no such accelerator"\nexit 3\n' > bin/vela && PATH=$PWD/bin:$PATH codegen $EXAMPLES/digits/digits.onnx -p vela -o w.tflite; ls w.tflite
! codegen: [...]digits.onnx: vela could not compile the model (exit 3)
!   no such accelerator
! ls: cannot access 'w.tflite': No such file or directory
? 2
