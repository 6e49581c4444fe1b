A product never takes the place of the model, or of a file with its weights.

$ model-convert $EXAMPLES/digits/digits.onnx -f tflite -o net.tflite && cp net.tflite copy && codegen net.tflite -p tflite; cmp net.tflite copy
! codegen: net.tflite: net.tflite: the output is the model itself
! hint: --output says where the product goes
$ codegen net.tflite -p tflite -o ./net.tflite
! codegen: ./net.tflite: the output is the model itself
! hint: --output says where the product goes
? 2
$ model-convert $EXAMPLES/digits/digits.onnx -o net.onnx --external-data && ls net*
> net.onnx
> net.onnx.data
> net.tflite
$ cp net.onnx.data net.bin && sed -i 's|net.onnx.data|./////net.bin|' net.onnx && rm net.onnx.data && model-info net.onnx | sed -n 1p
> graph       digits
$ cp net.bin copy && codegen net.onnx -p cpp; cmp net.bin copy
! codegen: net.onnx: ./net.bin: the output is a file of the model
! hint: --output says where the product goes
$ codegen net.onnx -p cpp -o away && ls away
> net.bin
> net.cpp
> net_net.json
> quern_builder.h
