Command lines of onnx-mlir for NNPA (scripts/onnx-mlir, installed as quern-onnx-mlir).

$ ln -s $EXAMPLES/../scripts/onnx-mlir quern-onnx-mlir
+ cat > chain.mlir <<'END'
+ func.func @chain(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
+   %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %1 = "onnx.Relu"(%0) {onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %3 = "onnx.Sigmoid"(%2) {onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   onnx.Return %3 : tensor<?x?x?xf32>
+ }
+ END
+ cat > product.mlir <<'END'
+ func.func @net(%x: tensor<1x4x8xf32>) -> tensor<1x4x2xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> tensor<8x2xf32>
+   %0 = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x4x8xf32>, tensor<8x2xf32>) -> tensor<1x4x2xf32>
+   %1 = "onnx.Sigmoid"(%0) {onnx_node_name = "gate"} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
+   onnx.Return %1 : tensor<1x4x2xf32>
+ }
+ END

Placement: asked for by a file, of which the first record counts, shown by the text, changed there, and asked for again.

$ cat > asked.json <<'END'
+ {"device_placement": [{"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": "Relu_(0|1)"},
+   {"device": "nnpa", "node_type": "onnx.Sigmoid", "onnx_node_name": "Sigmoid_0"},
+   {"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": "Relu_(1|2)"}]}
+ END
$ ./quern-onnx-mlir --EmitONNXIR --maccel=NNPA --nnpa-load-device-placement-file=asked.json chain.mlir; grep -o 'device = .*_[0-9]"' chain.onnx.mlir
> device = "cpu", onnx_node_name = "Relu_0"
> device = "cpu", onnx_node_name = "Relu_1"
> device = "cpu", onnx_node_name = "Relu_2"
> device = "nnpa", onnx_node_name = "Sigmoid_0"
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ sed 's/device = "cpu", \(.*Relu_2\)/\1/' chain.onnx.mlir > edited.mlir; ./quern-onnx-mlir -EmitONNXIR -maccel NNPA -printIR --shapeInformation=0:1x4x8 edited.mlir | grep -o 'device = .*_[0-9]"'
> device = "cpu", onnx_node_name = "Relu_0"
> device = "cpu", onnx_node_name = "Relu_1"
> device = "nnpa", onnx_node_name = "Relu_2"
> device = "nnpa", onnx_node_name = "Sigmoid_0"
$ ./quern-onnx-mlir --nnpa-save-device-placement-file=cfg.json --EmitONNXIR chain.mlir -- -q; tr -d ' \n' < cfg.json; echo
> {"device_placement":[{"device":"nnpa","node_type":"onnx.Relu","onnx_node_name":"Relu_0"},{"device":"nnpa","node_type":"onnx.Relu","onnx_node_name":"Relu_1"},{"device":"nnpa","node_type":"onnx.Relu","onnx_node_name":"Relu_2"},{"device":"nnpa","node_type":"onnx.Sigmoid","onnx_node_name":"Sigmoid_0"}]}
$ ./quern-onnx-mlir --dry-run --nnpa-save-device-placement-file=cfg.json chain.mlir
> quern place chain.mlir --target nnpa --heuristic QualifyingOps --save-placement cfg.json -o placed.qn
> quern codegen placed.qn -p cpp --lib -o made

Dynamic quantization: the two flags as they stand in its document, of which convolutions are none of NNPA's; by itself; none.

$ ./quern-onnx-mlir -maccel=NNPA -march=arch15 --nnpa-quant-dynamic=asymActivation,symWeight --nnpa-quant-op-types=MatMul,Conv --EmitONNXIR product.mlir; grep -o 'kind = .*-128\|storage = i8, qmin = -127' product.onnx.mlir
> storage = i8, qmin = -127
> kind = "dynamic", storage = i8, qmin = -128
! onnx-mlir: --nnpa-quant-op-types: Conv stays float: NNPA multiplies matrices in 8 bits, nothing else
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (64 of 64 bytes as float32) and 88.9 % of the multiply-accumulates are quantized
$ ./quern-onnx-mlir -maccel=NNPA -march=arch15 --nnpa-quant-dynamic -o made/net product.mlir; quern run made/net.so --random 1 -o out 2>&1 | grep back; ls made
> run: made/net.so: device "nnpa" has no back end: simulated on ref
> net.so
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (64 of 64 bytes as float32) and 88.9 % of the multiply-accumulates are quantized
! onnx-mlir: made/net.so has quern's interface (quern run reads it), not OMTensor's, and runs on this machine's processor
$ ./quern-onnx-mlir -maccel=NNPA -march=z17 --nnpa-quant-dynamic --nnpa-quant-op-types=Conv --EmitONNXIR --printIR product.mlir | grep -c i8
> 0
! onnx-mlir: --nnpa-quant-op-types: Conv stays float: NNPA multiplies matrices in 8 bits, nothing else
? 1

Flags that are not there, or have nothing behind them.

$ ./quern-onnx-mlir -maccel=NNPA -march=arch14 --nnpa-quant-dynamic product.mlir
! onnx-mlir: --nnpa-quant-dynamic needs --march=arch15 (z17): arch14 has no products of 8-bit integers
? 2
$ ./quern-onnx-mlir -maccel=NNPA --EmitZHighIR product.mlir
! onnx-mlir: --EmitZHighIR: no such form is made; quern codegen -p c and -p cpp write sources
? 4
$ ./quern-onnx-mlir -maccel=NPU product.mlir
! onnx-mlir: --maccel: "NPU" is not one of NNPA
? 2
$ ./quern-onnx-mlir -maccel=NNPA --nnpa-quant-dynamics product.mlir
! onnx-mlir: there is no flag "--nnpa-quant-dynamics"; --list-flags lists them
? 2
$ ./quern-onnx-mlir -maccel=NNPA --nnpa-quant-op-types=MatMul product.mlir
! onnx-mlir: --nnpa-quant-op-types needs --nnpa-quant-dynamic, without which nothing is quantized
? 2
$ ./quern-onnx-mlir --EmitONNXIR --shapeInformation=1:2x2 product.mlir
! onnx-mlir: --shapeInformation: there is no input 1, the model has 1
? 2
$ ./quern-onnx-mlir --EmitONNXIR -maccel=NNPA none.onnx
! place: none.onnx: No such file or directory
? 5
$ ./quern-onnx-mlir
! onnx-mlir: needs a model
? 2
$ ./quern-onnx-mlir --list-flags | sed -n '1,4p'
> --maccel
>     NNPA: the target nnpa of quern place; a file of placements means it, too
> --march
>     arch14 or z16, arch15 or z17: the latter multiplies 8-bit integers, which quantization needs
