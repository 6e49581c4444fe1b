A public model: Reshape is not the accelerator's; what is bound to the CPU in the model stays there, whatever the heuristic.

needs: models

$ cat > devices <<'END'
+ #!/bin/bash
+ place "$@" --target nnpa --heuristic QualifyingOps -q --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1-3
+ END
$ chmod +x devices
$ ./devices $MODELS/onnx/mnist_cnn_opset8.onnx
> cpu onnx.Reshape Times212_reshape1
> nnpa onnx.Conv Convolution28
> cpu onnx.Add Plus30
> nnpa onnx.Relu ReLU32
> nnpa onnx.MaxPool Pooling66
> nnpa onnx.Conv Convolution110
> cpu onnx.Add Plus112
> nnpa onnx.Relu ReLU114
> nnpa onnx.MaxPool Pooling160
> cpu onnx.Reshape Times212_reshape0
> nnpa onnx.MatMul Times212
> nnpa onnx.Add Plus214
$ model-convert $MODELS/onnx/mnist_cnn_opset8.onnx --passes none -f text | sed 's/onnx_node_name = "Times212"/device = "cpu", &/' > bound.mlir
$ ./devices bound.mlir | grep 'Times212 *$\|Conv\|Plus214'
> nnpa onnx.Conv Convolution28
> nnpa onnx.Conv Convolution110
> cpu onnx.MatMul Times212
> nnpa onnx.Add Plus214

Devices of the text alone: what names none is decided before it is saved.

$ sed 's/onnx_node_name = "Relu_1"/device = "cpu", &/; s/onnx_node_name = "Sigmoid_0"/device = "nnpa", &/' $TEST_MODELS/relu_chain.mlir > chain.mlir
$ ./devices chain.mlir
> nnpa onnx.Relu Relu_0
> cpu onnx.Relu Relu_1
> nnpa onnx.Relu Relu_2
> nnpa onnx.Sigmoid Sigmoid_0
