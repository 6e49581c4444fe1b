Rules by flags, beside a file and without one. The net of rules.t: two blocks of the same kind, and a head.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5, 0.1, 0.2], [0.0, 2.54, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [-1.0, -0.9, -0.8, -0.7]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
+   %h = "onnx.Constant"() {value = dense<[[1.0, 2.0], [-3.0, 4.0], [5.0, -6.0], [7.0, 8.0]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "/net/block.0/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Relu"(%a) {onnx_node_name = "/net/block.0/Relu"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %c = "onnx.MatMul"(%b, %w) {onnx_node_name = "/net/block.1/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %d = "onnx.Relu"(%c) {onnx_node_name = "/net/block.1/Relu"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %y = "onnx.MatMul"(%d, %h) {onnx_node_name = "/net/head/MatMul"} : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx && minmax-collect -q net.onnx --random 1 --rows 8 -o r.json
$ cat > q.sh <<'END'
+ q() { quantize net.onnx --ranges r.json --report report.json -o q.qn "$@"; }
+ show() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*sorted(v['name'] + ':' + v['encoding']['storage'] for v in r['values']))"; }
+ scales() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*(v['name'] + ' ' + v['method'] + ' ' + str(v['encoding']['storage']) + ' ' + ('%.5f' % v['encoding']['scale'] if 'scale' in v['encoding'] else str(v['encoding']['scales']) + ' scales') for v in r['values'] if v['role'] == 'weight'), sep='\n')"; }
+ END

The most particular rule decides, also where it is none: node name, module name, operator, module type, global.
$ . ./q.sh; q --set-global w8a16 --set-op-type MatMul=i8 -v; show
> b:int8 d:int8 h:int8 w:int8 x:int8 y:int8
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-module-type block=w8a16 --set-module-name /net/block.1=none -v; show
> d:int8 h:int8 w:int8 x:int16 y:int8
! quantize: 3 of 5 operators stay float: 60.0 % of the weights (96 of 160 bytes as float32) and 50.0 % of the multiply-accumulates are quantized
!   /net/block.0/Relu (Relu): only operators that stay float read its result
!   /net/block.1/MatMul (MatMul): the rule of module /net/block.1 sets none; 40.0 % of the weights
!   /net/block.1/Relu (Relu): the rule of module /net/block.1 sets none
$ . ./q.sh; q --set-global none --set-op-type MatMul=i8 --set-node-name /net/head/MatMul=none -v; show
> b:int8 w:int8 x:int8
! quantize: 3 of 5 operators stay float: 66.7 % of the weights (64 of 96 bytes as float32) and 75.0 % of the multiply-accumulates are quantized
!   /net/block.0/Relu (Relu): the rule of global sets none
!   /net/block.1/Relu (Relu): the rule of global sets none
!   /net/head/MatMul (MatMul): the rule of node /net/head/MatMul sets none; 33.3 % of the weights
Modules may be named as torch names them.
$ . ./q.sh; q --set-module-name net.block.0=none --set-io u8i8 -v; show
> b:int8 d:int8 h:int8 w:int8 x:uint8 y:uint8
! quantize: 2 of 5 operators stay float: 60.0 % of the weights (96 of 160 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
!   /net/block.0/MatMul (MatMul): the rule of module net.block.0 sets none; 40.0 % of the weights
!   /net/block.0/Relu (Relu): the rule of module net.block.0 sets none
A flag holds where the file says something else of the same part.
$ echo '{"kind": "rules", "version": 1, "op_types": {"Relu": "none", "MatMul": "none"}}' > rules.json
$ . ./q.sh; q --rules rules.json --set-op-type MatMul=i8 -v; show
> b:int8 d:int8 h:int8 w:int8 x:int8 y:int8
! quantize: 2 of 5 operators stay float: 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
!   /net/block.0/Relu (Relu): the rule of op type Relu sets none
!   /net/block.1/Relu (Relu): the rule of op type Relu sets none

Settings of a type: weights of one scale, other bits, other methods, a least scale.
$ . ./q.sh; q --set-op-type MatMul=i8 && scales
> w auto int8 4 scales
> h auto int8 2 scales
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=i8,per_channel=no,weight_method=min-max && scales
> w min-max int8 0.02000
> h min-max int8 0.06299
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=i8,per-channel=no,weight_method=percentile --percentile 90 && scales
> w percentile int8 0.01994
> h percentile int8 0.06299
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=i8,weight_bits=4 && scales && show
> w auto int4 4 scales
> h auto int4 2 scales
> b:int8 d:int8 h:int4 w:int4 x:int8 y:int8
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=i8,eps=0.05 --explain y && scales
> w auto int8 4 scales
> h auto int8 2 scales
! quantize: value "y" (activation)
!   encoding  int8 scale 0.1412114 zero -78
!   decided   op type MatMul, output of MatMul
!   range     -7.0775957 .. 28.931314 by auto (observed -7.0775957 .. 28.931314)
!   SQNR      50.3 dB, 6.2500 % of numbers clipped
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=i8,act_bits=16 --strict && show
> b:int16 d:int16 h:int8 w:int8 x:int16 y:int16
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-global i8,act_sym=yes && model-info q.qn | grep "^inputs\|^outputs"
> inputs      x  float32[1,4]  int8 scale 0.0077550053 zero 0
> outputs     y  float32[1,2]  int8 scale 0.22780563 zero 0
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Units are kept together whatever their weights are: the products' results are not stored.
$ . ./q.sh; q --set-op-type MatMul=i8,weight_bits=4 && show | grep -c 'a:\|c:'
> 0
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
? 1

What matches nothing is an error with the nearest name, or a notice.
$ . ./q.sh; q --set-node-name /net/hed/MatMul=none
! quantize: net.onnx: rule node_names."/net/hed/MatMul" matches nothing (did you mean "/net/head/MatMul"?)
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-op-type Matmul=none --set-module-type bock=none
! quantize: net.onnx: rule module_types."bock" matches nothing (did you mean "block"?)
!   rule op_types."Matmul" matches nothing (did you mean "MatMul"?)
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-op-type Conv=none --allow-unmatched && show
> b:int8 d:int8 h:int8 w:int8 x:int8 y:int8
! quantize: rule op_types."Conv" matches nothing
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Flags that are no rules.
$ . ./q.sh; q --set-op-type MatMul
! quantize: --set-op-type: got "MatMul", need NAME=RULE
? 2
$ . ./q.sh; q --set-op-type MatMul=i9
! quantize: --set-op-type MatMul: type: unknown type "i9" (did you mean "i8"?)
? 2
$ . ./q.sh; q --set-global i8,bits=4
! quantize: --set-global: bits: is not a key of a rule (type, method, weight_method, inputs, outputs, weights, act_bits, act_sym, weight_bits, weight_sym, bias_bits, float_bits, per_channel, per_row, block, two_level, eps, algorithms)
? 2
$ . ./q.sh; q --set-global i8,act_bits=12
! quantize: --set-global: act_bits: got 12, need 8 or 16
? 2
$ . ./q.sh; q --set-global i8,weight_bits
! quantize: --set-global: "weight_bits": need KEY=VALUE behind the type
? 2
$ . ./q.sh; q --set-global none,eps=1
! quantize: --set-global: has settings beside type none
? 2
$ . ./q.sh; q --set-global wo-i4,act_bits=8
! quantize: --set-global: act_bits does not go with type wo-i4: its activations stay float
? 2
$ . ./q.sh; q --set-global i8,weight_method=moving-average
! quantize: --set-global: weight_method: method moving-average goes by runs, which weights have not
? 2
$ . ./q.sh; q --set-op-type MatMul=i8 --set-op-type MatMul=none
! quantize: --set-op-type: "MatMul" is given twice
? 2
$ . ./q.sh; q --set-global ''
! quantize: --set-global: is empty, need a type or none
? 2
$ quantize net.onnx --type wo-i8-sym --set-op-type MatMul=i8 -o q.qn
! quantize: net.onnx: the type of a rule needs ranges
! hint: give --ranges FILE from minmax-collect
? 2

A node that is fused into another before anything is quantized.
$ cat > bn.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[0.5]]]]> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
+   %s = "onnx.Constant"() {value = dense<[2.0]> : tensor<1xf32>} : () -> tensor<1xf32>
+   %c = "onnx.Conv"(%x, %w) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
+   %y = "onnx.BatchNormalization"(%c, %s, %s, %s, %s) {onnx_node_name = "norm"} : (tensor<1x1x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2x2xf32>
+   return %y : tensor<1x1x2x2xf32>
+ }
+ END
$ minmax-collect -q bn.mlir --random 1 --rows 8 -o bn.json
$ quantize bn.mlir --ranges bn.json --set-node-name norm=none -o q.qn
! quantize: bn.mlir: rule node_names."norm" matches nothing: it is fused into other operators before anything is quantized
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3

Scalars are operands like others: each has an encoding of its own.
$ cat > scalars.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %three = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
+   %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %a = "onnx.Add"(%x, %three) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
+   %y = "onnx.Mul"(%half, %a) : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ minmax-collect -q scalars.mlir --random 1 --rows 8 -o s.json && quantize scalars.mlir --ranges s.json --report report.json -o q.qn
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (8 of 8 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; show
> a:int8 half:int8 three:int8 x:int8 y:int8

Types have their familiar names in rules, too, and each is explained once.
$ echo '{"kind": "rules", "version": 1, "global": "int8", "op_types": {"MatMul": {"type": "int16x8", "method": "mse"}, "Relu": "int8"}}' > familiar.json
$ . ./q.sh; q --rules familiar.json; show
> a:int16 a:int8 b:int16 b:int8 c:int16 c:int8 d:int16 d:int8 h:int8 w:int8 x:int16 y:int16
! quantize: type int16x8 stands for w8a16
! quantize: type int8 stands for i8
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-global int8 --set-node-name /net/head/MatMul=int16x8,method=mse && show | grep -o 'y:int16'
> y:int16
! quantize: type int8 stands for i8
! quantize: type int16x8 stands for w8a16
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

A rule is about a unit: the activation behind a product has its type where no rule is about itself, so nothing is stored between.
$ . ./q.sh; q --set-op-type MatMul=w8a16; show
> b:int16 d:int16 h:int8 w:int8 x:int16 y:int16
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-op-type MatMul=w8a16 --set-op-type Relu=i8; show
> a:int16 a:int8 b:int16 b:int8 c:int16 c:int8 d:int16 d:int8 h:int8 w:int8 x:int16 y:int16
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-global i8 --set-node-name /net/block.0/MatMul=w8a16; show
> b:int16 b:int8 d:int8 h:int8 w:int8 x:int16 y:int8
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./q.sh; q --set-node-name /net/block.0/MatMul=none -v; show
> b:int8 d:int8 h:int8 w:int8 y:int8
! quantize: 2 of 5 operators stay float: 60.0 % of the weights (96 of 160 bytes as float32) and 58.3 % of the multiply-accumulates are quantized
!   /net/block.0/MatMul (MatMul): the rule of node /net/block.0/MatMul sets none; 40.0 % of the weights
!   /net/block.0/Relu (Relu): the rule of node /net/block.0/MatMul sets none

More bits for an activation are for all of its unit: between two grids its result would have those of the coarser one.
$ net=$EXAMPLES/digits/digits.onnx; minmax-collect $net --random 1 --rows 20 -q -o unit.json; for rule in Relu=w8a16 Conv=w8a16; do quantize $net --ranges unit.json --set-op-type $rule -q -o u.qn; model-info u.qn --encodings=2.0.0 | grep -c int16; check $net u.qn --random 2 --rows 20 --top 0 | sed -n 2p; done
> 5
>   output "scores": 32.77 dB; sample 11 has 21.95 dB
> 5
>   output "scores": 32.77 dB; sample 11 has 21.95 dB
! model-info: encodings name a value once, not the second ones of 1 value, which is left out: flat
! model-info: encodings name a value once, not the second ones of 1 value, which is left out: flat
