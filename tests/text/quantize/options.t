What quantize is asked and how it answers. The model: a product with bias and Relu between an input and an output.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" r.json

Wrong names are met with the nearest right one; without ranges nothing can be said.
$ quantize net.mlir -o q.qn
! quantize: net.mlir: type i8 needs ranges
! hint: give --ranges FILE from minmax-collect
? 2
$ quantize net.mlir --ranges r.json --type i9 -o q.qn
! quantize: --type: unknown "i9" (did you mean "i8"?)
! hint: one of i8, [...]
? 2
$ quantize net.mlir --ranges r.json --method ms -o q.qn
! quantize: --method: unknown "ms" (did you mean "mse"?)
! hint: one of auto, [...]
? 2
$ quantize net.mlir --ranges r.json --methd mse -o q.qn
! quantize: unknown option "--methd" (did you mean "--method"?)
! hint: quern quantize --help lists the options
? 2
$ quantize net.mlir --ranges r.json --explain z -o q.qn
! quantize: no encoded value and no node "z" (did you mean "x"?)
? 3
$ ls q.qn
! ls: cannot access 'q.qn': No such file or directory
? 2

Ranges of another model are refused, unless they are wanted all the same.
$ sed 's/"lineage": ""/"lineage": "00ff"/' r.json > other.json && quantize net.mlir --ranges other.json -o q.qn
! quantize: other.json: measured on another model (lineage 00ff, this one is c2a7a8ec3ad1544420772924fbc7a229)
! hint: --force takes them all the same
? 3
$ quantize net.mlir --ranges other.json --force -o q.qn && model-info q.qn | grep put
> inputs      x  float32[2,2]  int8 scale 0.01 zero -28
> outputs     y  float32[2,2]  int8 scale 0.02 zero -128
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Reasons and reports.
$ quantize net.mlir --ranges r.json --method min-max --explain y -o q.qn
! quantize: value "y" (activation)
!   encoding  int8 scale 0.02 zero -128
!   decided   type, output of Relu
!   range     0 .. 5.1 by min-max (observed 0 .. 5.1)
!   SQNR      not known, 0.0000 % of numbers clipped
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --report r.html --strict -o q.qn && head -1 r.html
> <!doctype html>
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --report report.json -o q.qn && python3 -c "
+ import json; d = json.load(open('report.json')); print(d['kind'], sorted(d), [n['quantized'] for n in d['nodes']])"
> report ['coverage', 'kind', 'lineage', 'model', 'nodes', 'samples', 'sizes', 'type', 'values', 'version'] [True, True]
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Rules.
$ rules() { printf '{"kind": "rules", "version": 1, %s}' "$1" > rules.json; shift; quantize net.mlir --ranges r.json --rules rules.json "$@"; }; declare -f rules > rules.sh
$ . ./rules.sh; rules '"global": "none"' -o q.qn
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ . ./rules.sh; rules '"node_names": {"gemm": "none"}' -v -o q.qn
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   gemm (Gemm): the rule of node gemm sets none; 66.7 % of the weights
!   relu (Relu): the rule of node gemm sets none
$ . ./rules.sh; rules '"op_types": {"Gemm": "none"}' --strict -o strict.qn; echo $?; ls strict.qn
> 1
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   gemm (Gemm): the rule of op type Gemm sets none; 66.7 % of the weights
!   relu (Relu): the rule of op type Gemm sets none
! ls: cannot access 'strict.qn': No such file or directory
? 2
$ . ./rules.sh; rules '"op_types": {"Conv": "none"}' -o q.qn
! quantize: net.mlir: rule op_types."Conv" matches nothing
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./rules.sh; rules '"op_type": {"Gemm": "none"}' -o q.qn
! quantize: rules.json: op_type: is not a kind of rule (did you mean "op_types"?)
! hint: kinds of rules: global, io, module_names, module_types, node_names, op_types, subgraphs
? 3
$ . ./rules.sh; rules '"global": "i9"' -o q.qn
! quantize: rules.json: global: unknown type "i9" (did you mean "i8"?)
! hint: one of i8, i8-sym, u8-asym, u8i8, w8a16, w4a16, w4a16-lpbq, w8u16, w4u16, w4u16-lpbq, w4a8, w16a16, i16-asym, i16-sym, dynamic-i8, dynamic-nnpa, wo-i8-sym, wo-i16-sym, wo-i8, wo-i16, wo-i4, wo-i2, wo-u8, wo-u4, wo-u2, f8-e4m3, f8-e5m2, wo-f8, f16, bf16
? 3
$ . ./rules.sh; rules '"global": {"typ": "i8"}' -o q.qn
! quantize: rules.json: global.typ: is not a key of a rule (type, method, weight_method, inputs, outputs, weights, act_bits, act_sym, weight_bits, weight_sym, bias_bits, float_bits, per_channel, per_row, block, two_level, eps, algorithms) (did you mean "type"?)
? 3
$ . ./rules.sh; rules '"global": 3' -o q.qn
! quantize: rules.json: global: is a number, need an object
? 3

ONNX says encodings in two ways, in old opsets, too.
$ quantize net.mlir --ranges r.json --opset 13 -o q.onnx && model-info q.onnx | sed -n '/operators/,/parameters/p'
> operators   DequantizeLinear                     4
>             Gemm                                 1
>             QuantizeLinear                       2
>             Relu                                 1
> parameters  16 (40 bytes)
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --form qoperator -o q.onnx && model-info q.onnx | sed -n '/operators/,/parameters/p'
> operators   DequantizeLinear                     1
>             QuantizeLinear                       1
>             com.microsoft.QGemm                  1
> parameters  14 (32 bytes)
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json -f text | grep -o 'onnx.Relu".*'
> onnx.Relu"(%sum) {onnx_node_name = "relu", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<-128> : tensor<i8>}]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

A weight that constants make is a weight.
$ cat > made.mlir <<'END'
+ func.func @made(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
+   %flat = "onnx.Constant"() {value = dense<[1.27, -0.5, 0.0, 2.54]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %shape = "onnx.Constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %w = "onnx.Reshape"(%flat, %shape) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+   return %y : tensor<2x2xf32>
+ }
+ END
$ quantize made.mlir --type wo-i8-sym -o m.qn && model-info m.qn | grep -A1 "operators\|encodings\|weights"
> operators   MatMul                               1
> parameters  4 (4 bytes)
> weights     int8                                 4
> MACs        8
> encodings   int8 per channel                     1
> lineage     b94f1a0d3b15121add0f4a26551bfdbb
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Familiar names of types stand for ours; fine settings change a type, with what it has no place for refused.
$ quantize net.mlir --ranges r.json --type int8 -o q.qn
! quantize: type int8 stands for i8
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type i8 --act-bits 16 --weight-bits 4 --per-tensor -o q.qn && model-info q.qn --text | grep -o 'storage = [a-z0-9]*' | sort | uniq -c
>       2 storage = i16
>       1 storage = i32
>       1 storage = i4
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type w8a16 --act-sym no --weight-bits 16 -o q.qn && model-info q.qn | grep put
> inputs      x  float32[2,2]  int16 scale 3.8910504e-05 zero -7068
> outputs     y  float32[2,2]  int16 scale 7.782101e-05 zero -32768
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --type wo-i4 --weight-bits 8 --block 2 -o q.qn && model-info q.qn --text | grep -o 'storage = .*}\]'
> storage = i8, qmin = -127, qmax = 127, axis = 0, block = 2, scale = dense<[[0.01, 0.02]]> : tensor<1x2xf32>, zero = dense<0> : tensor<1x2xi8>}]
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type f16 --block 16 -o q.qn
! quantize: block does not go with type f16: its weights are floats, which have no scale
? 2
$ quantize net.mlir --type wo-u2 --block 16 --per-tensor -o q.qn
! quantize: --block and --per-tensor contradict each other
? 2
$ quantize net.mlir --ranges r.json --per-tensor --per-channel -o q.qn
! quantize: --per-channel and --per-tensor contradict each other
? 2
$ quantize net.mlir --ranges r.json --act-bits 12 -o q.qn
! quantize: act_bits: got 12, need 8 or 16
? 2
$ quantize net.mlir --type q4_k --weight-bits 8 -o q.gguf
! quantize: type q4_k of ggml is as it is: its bits and blocks cannot be set
? 2

Weights of 2 bits, four in a byte; with zero points where the type has them.
$ cat > few.mlir <<'END'
+ func.func @few(%x: tensor<1x5xf32>) -> tensor<1x1xf32> {
+   %w = "onnx.Constant"() {value = dense<[[-1.0], [2.0], [3.0], [0.25], [-6.0]]> : tensor<5x1xf32>} : () -> tensor<5x1xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x5xf32>, tensor<5x1xf32>) -> tensor<1x1xf32>
+   return %y : tensor<1x1xf32>
+ }
+ END
$ for t in wo-u2 wo-i2 wo-u4 wo-u8; do quantize few.mlir --type $t --block 2 --set-op-type MatMul=$t,block=2,weight_method=min-max -o q.qn && model-info q.qn | grep -A1 parameters && model-info q.qn --text | grep -o 'qmin = .*}\]'; done
> parameters  5 (2 bytes)
> weights     uint2                                5
> qmin = 0, qmax = 3, axis = 0, block = 2, scale = dense<[[1.0], [1.0], [2.0]]> : tensor<3x1xf32>, zero = dense<[[1], [0], [3]]> : tensor<3x1xui2>}]
> parameters  5 (2 bytes)
> weights     int2                                 5
> qmin = -2, qmax = 1, axis = 0, block = 2, scale = dense<[[2.0], [3.0], [6.0]]> : tensor<3x1xf32>, zero = dense<0> : tensor<3x1xi2>}]
> parameters  5 (3 bytes)
> weights     uint4                                5
> qmin = 0, qmax = 15, axis = 0, block = 2, scale = dense<[[0.2], [0.2], [0.4]]> : tensor<3x1xf32>, zero = dense<[[5], [0], [15]]> : tensor<3x1xui4>}]
> parameters  5 (5 bytes)
> weights     uint8                                5
> qmin = 0, qmax = 255, axis = 0, block = 2, scale = dense<[[0.011764706], [0.011764706], [0.023529412]]> : tensor<3x1xf32>, zero = dense<[[85], [0], [255]]> : tensor<3x1xui8>}]
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (20 of 20 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (20 of 20 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (20 of 20 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (20 of 20 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize few.mlir --type wo-u2 --opset 21 -q -o q.onnx
! quantize: constant "w_quantized" is uint2, which opset 21 does not have
? 4
$ quantize few.mlir --type wo-i2 -o q.tflite
! quantize: few.mlir: type wo-i2 has int2 weights, which no kernel of TFLite reads
? 4
$ quantize few.mlir --type wo-u4 -o q.circle
! quantize: few.mlir: type wo-u4 has asymmetric uint4 weights, in TFLite they are symmetric
? 4
$ quantize few.mlir --type wo-u4 --weight-sym yes -o q.tflite
! quantize: few.mlir: type wo-u4 has uint4 weights, which no kernel of TFLite reads
? 4

What TFLite has no form for is refused, in a rule, too.
$ quantize net.mlir --ranges r.json --type i16-asym -o q.tflite
! quantize: net.mlir: type i16-asym has asymmetric int16 activations, in TFLite they are symmetric
? 4
$ quantize net.mlir --ranges r.json --type i8 --weight-sym no -o q.tflite
! quantize: net.mlir: type i8 has asymmetric int8 weights, in TFLite they are symmetric
? 4
$ quantize net.mlir --ranges r.json --set-op-type Gemm=w8a16,act_sym=no -o q.tflite
! quantize: net.mlir: type w8a16 has asymmetric int16 activations, in TFLite they are symmetric
? 4
$ quantize net.mlir --ranges r.json --type i16-asym --set-op-type Gemm=none -o q.qn -v; quantize net.mlir --ranges r.json --type i16-asym --strict -o q.onnx
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   gemm (Gemm): the rule of op type Gemm sets none; 66.7 % of the weights
!   relu (Relu): the rule of op type Gemm sets none
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
