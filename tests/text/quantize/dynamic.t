Dynamic quantization for IBM's NNPA: int8 weights are stored, inputs are quantized at run time.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<2x32xf32>, %k: tensor<32x32xf32>) -> tensor<2x32xf32> {
+   %w = "onnx.Constant"() {value = dense<0.25> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
+   %v = "onnx.Constant"() {value = dense<-0.5> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
+   %c = "onnx.Constant"() {value = dense<1.0> : tensor<32xf32>} : () -> tensor<32xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "first"} : (tensor<2x32xf32>, tensor<32x32xf32>) -> tensor<2x32xf32>
+   %s = "onnx.Add"(%a, %c) {onnx_node_name = "bias"} : (tensor<2x32xf32>, tensor<32xf32>) -> tensor<2x32xf32>
+   %r = "onnx.Relu"(%s) {onnx_node_name = "relu"} : (tensor<2x32xf32>) -> tensor<2x32xf32>
+   %g = "onnx.Gemm"(%r, %v, %c) {onnx_node_name = "second"} : (tensor<2x32xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<2x32xf32>
+   %y = "onnx.MatMul"(%g, %k) {onnx_node_name = "free"} : (tensor<2x32xf32>, tensor<32x32xf32>) -> tensor<2x32xf32>
+   return %y : tensor<2x32xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx
$ quantize net.onnx --dynamic --report report.json -o q.onnx && python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*(n['name'] + ': ' + (n.get('reason') or 'quantized') for n in r['nodes']), sep='\n')
+ print(*(v['name'] + ' ' + str(v['encoding']['scale']) for v in r['values']), sep='\n')"
> first: quantized
> bias: has no weight that this type quantizes
> relu: has no weight that this type quantizes
> second: quantized
> free: has no weight that this type quantizes
> w 0.001968504
> v 0.003937008
! quantize: coverage: 2 of 5 operators, 98.5 % of the weights (8192 of 8320 bytes as float32) and 65.3 % of the multiply-accumulates are quantized
$ test $(stat -c %s q.onnx) -lt $(stat -c %s net.onnx) && model-info q.onnx --json | python3 -c "import json, sys; print(json.load(sys.stdin)['metadata']['profile'])"
> nnpa
$ model-diff net.onnx q.onnx --random 3 --threshold 30 > diff.txt && awk '/output/ { print $1, $2, $5 }' diff.txt
> 47.64 0.999991 y

All four words are effective: asymmetric weights have a zero point.
$ for w in asymActivation,symWeight symActivation,asymWeight symActivation asymWeight; do quantize -q net.onnx --dynamic=$w -o q.qn && model-info q.qn --text | grep -o 'qmin = [-0-9]*\|zero = dense<[-0-9]*>' | sort | uniq -c | xargs echo $w; done
> asymActivation,symWeight 2 qmin = -127 2 qmin = -128 2 zero = dense<0>
> symActivation,asymWeight 2 qmin = -127 2 qmin = -128 1 zero = dense<-128> 1 zero = dense<127>
> symActivation 4 qmin = -127 2 zero = dense<0>
> asymWeight 4 qmin = -128 1 zero = dense<-128> 1 zero = dense<127>

Quantizing again changes nothing.
$ quantize q.onnx --dynamic -q -o again.onnx && cmp q.onnx again.onnx

Only the operators that are listed.
$ quantize net.onnx --dynamic --op-types Gemm --report report.json -o q.onnx && python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*(n['name'] for n in r['nodes'] if n['quantized']))"
> second
! quantize: 1 of 2 operators with weights stay float: 49.2 % of the weights (4096 of 8320 bytes as float32) and 32.7 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ quantize net.onnx --dynamic --op-types MatMul,Conv -o q.onnx
! quantize: --op-types: Conv has no form that is quantized at run time for NNPA
! hint: MatMul and Gemm have
? 2
$ quantize net.onnx --dynamic --op-types Matmul -o q.onnx
! quantize: --op-types: there is no operator "Matmul" (did you mean "MatMul"?)
! hint: one of MatMul, Gemm
? 2
$ quantize net.onnx --op-types MatMul -o q.onnx
! quantize: --op-types is for --dynamic
? 2
$ quantize net.onnx --dynamic=symWeight,asymWeight -o q.onnx
! quantize: --dynamic: "symWeight,asymWeight" contradicts itself
? 2
$ quantize net.onnx --dynamic=symweight -o q.onnx
! quantize: --dynamic: unknown "symweight" (did you mean "symWeight"?)
! hint: one of symActivation, asymActivation, symWeight, asymWeight
? 2
$ quantize net.onnx --dynamic --type i8 -o q.onnx
! quantize: --dynamic stands for a type, and --type i8 is given, too
? 2
$ quantize net.onnx --dynamic --set-op-type MatMul=dynamic-nnpa,per_channel=yes -o q.onnx
! quantize: --set-op-type MatMul: per_channel does not go with type dynamic-nnpa: NNPA has one scale per tensor
? 2

A node that a placement forbids to quantize stays float, with its bias, whatever is asked; a target says the type.
$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.MatMul", "onnx_node_name": "first"}, "rewrite": {"quantize": false}}}]}' > forbid.json
$ place net.onnx --target nnpa --load-placement forbid.json -q -o placed.onnx && quantize placed.onnx --target nnpa --op-types MatMul,Gemm --report report.json -o q.onnx && python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*(n['name'] for n in r['nodes'] if n['quantized']))"
> second
! quantize: target nnpa takes type dynamic-nnpa
! quantize: the rule of op type MatMul changes nothing: node "first" (MatMul): the placement forbids to quantize it
! quantize: 1 of 2 operators with weights stay float: 49.2 % of the weights (4096 of 8320 bytes as float32) and 32.7 % of the multiply-accumulates are quantized; see -v or --report for which and why

Numbers without codes are an error that names the node.
$ python3 -c "
+ import struct, sys
+ sys.stdout.buffer.write(struct.pack('<64f', *([float('nan')] + [1.0] * 63)))" > x.raw && python3 -c "
+ import struct, sys
+ sys.stdout.buffer.write(struct.pack('<1024f', *([1.0] * 1024)))" > k.raw
$ quantize -q net.onnx --dynamic -o q.qn && run q.qn --input x=x.raw --input k=k.raw
! run: sample 0: node "x_dynamic_Recode" (Recode): holds NaN or infinity, which have no codes
? 3

A recurrent layer of which only the last state is read.
$ cat > last.mlir <<'END'
+ func.func @net(%x: tensor<3x1x2xf32>) -> tensor<1x1x1xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[0.5, -1.0], [0.25, 1.0], [2.0, 0.75]]]> : tensor<1x3x2xf32>} : () -> tensor<1x3x2xf32>
+   %r = "onnx.Constant"() {value = dense<[[[0.5], [-0.25], [1.0]]]> : tensor<1x3x1xf32>} : () -> tensor<1x3x1xf32>
+   %none, %h = "onnx.GRU"(%x, %w, %r) {hidden_size = 1 : si64, onnx_node_name = "cell"} : (tensor<3x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> (none, tensor<1x1x1xf32>)
+   return %h : tensor<1x1x1xf32>
+ }
+ END
$ for type in wo-i8 dynamic-i8 wo-i4; do quantize last.mlir --type $type -q -o last-$type.onnx && model-diff last.mlir last-$type.onnx --random 2 | grep -c 'h (output)'; done
> 1
> 1
> 1
