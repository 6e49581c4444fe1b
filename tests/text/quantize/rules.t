Rules for parts of a model. Two blocks of the same kind, and a head.
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
$ model-convert net.mlir --passes none -o net.onnx && minmax-collect net.onnx --random 1 --rows 8 -o r.json
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ cat > rules.sh <<'END'
+ rules() { printf '{"kind": "rules", "version": 1, %s}' "$1" > rules.json; shift; quantize net.onnx --ranges r.json --rules rules.json --report report.json -o q.qn "$@"; }
+ show() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*sorted(v['name'] + ':' + v['encoding']['storage'] for v in r['values']))"; }
+ END

A module's type is its name without the index, wherever it stands; the name of one module is more particular.
$ . ./rules.sh; rules '"module_types": {"block": "none"}' -v; show
> d:int8 h:int8 y:int8
! quantize: 4 of 5 operators stay float: 33.3 % of the weights (32 of 96 bytes as float32) and 16.7 % of the multiply-accumulates are quantized
!   /net/block.0/MatMul (MatMul): the rule of module type block sets none; 66.7 % of the weights
!   /net/block.0/Relu (Relu): the rule of module type block sets none
!   /net/block.1/MatMul (MatMul): the rule of module type block sets none; 66.7 % of the weights
!   /net/block.1/Relu (Relu): the rule of module type block sets none
$ . ./rules.sh; rules '"module_types": {"block": "none"}, "module_names": {"/net/block.1": "w8a16"}' -v; show
> b:int16 d:int16 d:int8 h:int8 w:int8 y:int8
! quantize: 2 of 5 operators stay float: 60.0 % of the weights (96 of 160 bytes as float32) and 58.3 % of the multiply-accumulates are quantized
!   /net/block.0/MatMul (MatMul): the rule of module type block sets none; 40.0 % of the weights
!   /net/block.0/Relu (Relu): the rule of module type block sets none
$ . ./rules.sh; rules '"module_types": {"blok": "none"}'
! quantize: net.onnx: rule module_types."blok" matches nothing (did you mean "block"?)
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3

The io rule is for the model's inputs and outputs alone: another type, or none.
$ . ./rules.sh; rules '"io": "none"'; show; model-info q.qn | grep -A1 "^inputs\|^outputs"
> b:int8 d:int8 h:int8 w:int8 x:int8
> inputs      x  float32[1,4]
> outputs     y  float32[1,2]
> nodes       6
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./rules.sh; rules '"io": "u8i8"'; show; model-info q.qn | grep "^inputs\|^outputs"
> b:int8 d:int8 h:int8 w:int8 x:int8 x:uint8 y:uint8
> inputs      x  float32[1,4]  uint8 scale 0.0075624287 zero 130
> outputs     y  float32[1,2]  uint8 scale 0.1412114 zero 50
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (96 of 96 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./rules.sh; rules '"global": "none", "io": "i16-sym"'; model-info q.qn | grep "^inputs\|^outputs"
> inputs      x  float32[1,4]  int16 scale 3.0004481e-05 zero 0
> outputs     y  float32[1,2]  int16 scale 0.0008646766 zero 0
! quantize: 5 of 5 operators stay float: 0.0 % of the weights (0 of 96 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
