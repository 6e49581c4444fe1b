Placing before and after quantizing. A float model is placed on a device that takes codes as if it were quantized.

$ model-convert $EXAMPLES/digits/digits.onnx --shape image=1,1,8,8 -o d.onnx
$ minmax-collect d.onnx --random 1 --rows 4 -o r.json
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ cat > devices <<'END'
+ #!/bin/bash
+ place "$@" --heuristic QualifyingOps --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1,3
+ END
$ chmod +x devices
$ ./devices d.onnx --target ethos-u55-128
> ethos-u conv1_Conv
> ethos-u relu1_Relu
> ethos-u pool1_MaxPool
> ethos-u conv2_Conv
> ethos-u relu2_Relu
> ethos-u flat_Flatten
> ethos-u scores_Gemm
! place: no value is encoded: devices are asked as if the model were quantized to i8; --as sets another type
$ ./devices d.onnx --target ethos-u55-128 --as float
> cpu conv1_Conv
> cpu relu1_Relu
> cpu pool1_MaxPool
> cpu conv2_Conv
> cpu relu2_Relu
> cpu flat_Flatten
> cpu scores_Gemm
! place: 9 of 9 nodes run on cpu, as no other device can run them; see -v for which and why

What is bound to cpu stays float when the model is quantized, unless a rule asks for it; placing again changes nothing.

$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.Conv", "onnx_node_name": "conv2.*"}]}' > cpu.json
$ place d.onnx --target ethos-u55-128 --heuristic QualifyingOps --load-placement cpu.json -o placed.onnx
! place: no value is encoded: devices are asked as if the model were quantized to i8; --as sets another type
! place: 2 of 11 nodes run on cpu, as no other device can run them; see -v for which and why
$ quantize placed.onnx --ranges r.json --type i8 -v -o q.qn
! quantize: 1 of 7 operators stay float: 53.3 % of the weights (20 of 38 KB as float32) and 18.6 % of the multiply-accumulates are quantized
!   conv2_Conv (Conv): it is bound to cpu, and no rule asks for it; 46.4 % of the weights
$ ./devices q.qn --target ethos-u55-128
> ethos-u conv1_Conv
> ethos-u relu1_Relu
> ethos-u pool1_MaxPool
> cpu conv2_Conv
> ethos-u relu2_Relu
> ethos-u flat_Flatten
> ethos-u scores_Gemm
! place: 2 of 11 nodes run on cpu, as no other device can run them; see -v for which and why
$ echo '{"kind": "rules", "version": 1, "node_names": {"conv2_Conv": "i8"}}' > rules.json
$ quantize placed.onnx --ranges r.json --type i8 --rules rules.json -v -o q.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

A placement that forbids to quantize a node holds against rules, too.

$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.Conv", "onnx_node_name": "conv2.*"}, "rewrite": {"quantize": false}}}]}' > forbid.json
$ place d.onnx --target ethos-u55-128 --heuristic QualifyingOps --load-placement forbid.json -o placed.onnx
! place: no value is encoded: devices are asked as if the model were quantized to i8; --as sets another type
! place: 3 of 11 nodes run on cpu, as no other device can run them; see -v for which and why
$ quantize placed.onnx --ranges r.json --type i8 --rules rules.json -v -o q.qn
! quantize: the rule of node conv2_Conv changes nothing: node "conv2_Conv" (Conv): the placement forbids to quantize it
! quantize: 1 of 7 operators stay float: 53.3 % of the weights (20 of 38 KB as float32) and 18.6 % of the multiply-accumulates are quantized
!   conv2_Conv (Conv): the placement forbids to quantize it; 46.4 % of the weights

One that asks to quantize a node holds on the CPU, too, and both are saved with the devices.

$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.Conv", "onnx_node_name": "conv2.*"}], "quantization": [{"quantize": true, "node_type": "onnx.Conv", "onnx_node_name": "conv2.*"}, {"quantize": false, "node_type": "onnx.Gemm"}]}' > ask.json
$ place d.onnx --target ethos-u55-128 --heuristic QualifyingOps --load-placement ask.json --save-placement saved.json -q -o asked.onnx; quantize asked.onnx --ranges r.json --type i8 -v -o q.qn
! quantize: 1 of 7 operators stay float: 48.3 % of the weights (18 of 38 KB as float32) and 94.4 % of the multiply-accumulates are quantized
!   scores_Gemm (Gemm): the placement forbids to quantize it; 51.6 % of the weights
$ python3 -c "import json; s = json.load(open('saved.json')); print([r['device'] for r in s['device_placement']], *s['quantization'], sep='\n')"
> ['ethos-u', 'ethos-u', 'ethos-u', 'cpu', 'ethos-u', 'ethos-u', 'cpu']
> {'quantize': True, 'node_type': 'onnx.Conv', 'onnx_node_name': 'conv2_Conv'}
> {'quantize': False, 'node_type': 'onnx.Gemm', 'onnx_node_name': 'scores_Gemm'}
$ place d.onnx --target ethos-u55-128 --heuristic QualifyingOps --load-placement saved.json --save-placement - -q -o again.onnx | cmp - saved.json && quantize again.onnx --ranges r.json --type i8 -q -o r.qn && cmp q.qn r.qn

Hand-edited devices of the text form are respected in the same way.

$ model-convert d.onnx --passes none -f text | sed 's/onnx_node_name = "scores_Gemm"/device = "cpu", &/' | quantize - --ranges r.json --type i8 -v -f text -o q.mlir
! quantize: 1 of 7 operators stay float: 48.3 % of the weights (18 of 38 KB as float32) and 94.4 % of the multiply-accumulates are quantized
!   scores_Gemm (Gemm): it is bound to cpu, and no rule asks for it; 51.6 % of the weights
$ grep -c 'device = "cpu"' q.mlir
> 1

ONE's .part file.

$ printf '[partition]\nbackends=cpu,npu-b\ndefault=cpu\ncomply=opcode\n[OPCODE]\nRELU=npu-b\nMAX_POOL_2D=cpu\n' > d.part
$ ./devices d.onnx --target two-npu --load-placement d.part
> cpu conv1_Conv
> npu-b relu1_Relu
> cpu pool1_MaxPool
> cpu conv2_Conv
> npu-b relu2_Relu
> cpu flat_Flatten
> cpu scores_Gemm

An operator that TFLite has no kernel for is spelled out in others before it is quantized; not one that the placement forbids to quantize.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
+   %scale = "onnx.Constant"() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
+   %g = "onnx.HardSigmoid"(%x) {alpha = 0.16666667 : f32, beta = 0.5 : f32, onnx_node_name = "g"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
+   %n = "onnx.LayerNormalization"(%x, %scale) {axis = -1 : si64, onnx_node_name = "n"} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
+   return %g, %n : tensor<4x8xf32>, tensor<4x8xf32>
+ }
+ END
$ minmax-collect -q net.mlir --random 1 --rows 40 -o rn.json
$ quantize net.mlir --ranges rn.json --full-integer -v -o n.tflite
! quantize: coverage: 10 of 12 operators, 84.6 % of the weights (44 of 52 bytes as float32) and 97.3 % of the multiply-accumulates are quantized
$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.*", "onnx_node_name": "[gn]"}, "rewrite": {"quantize": false}}}]}' > forbid.json
$ place net.mlir --target ethos-u55-128 --heuristic QualifyingOps --load-placement forbid.json -q -o placed.onnx
$ quantize placed.onnx --ranges rn.json --full-integer -v -o n.tflite
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 32 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   g (HardSigmoid): the placement forbids to quantize it
!   n (LayerNormalization): the placement forbids to quantize it
