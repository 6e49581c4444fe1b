What quantize is asked and how it answers. The model: a product with bias and Relu between an input and an output.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" r.json

Wrong names are met with the nearest right one; without ranges nothing can be said.
$ quantize net.mlir -o q.qn
! quantize: net.mlir: --type i8 needs ranges
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

Reasons and reports.
$ quantize net.mlir --ranges r.json --method min-max --explain y -o q.qn
! quantize: value "y" (activation)
!   encoding  int8 scale 0.02 zero -128
!   decided   type, output of Relu
!   range     0 .. 5.1 by min-max (observed 0 .. 5.1)
!   SQNR      not known, 0.0000 % of numbers clipped
$ quantize net.mlir --ranges r.json --report r.html --strict -o q.qn && head -1 r.html
> <!doctype html>
$ quantize net.mlir --ranges r.json --report report.json -o q.qn && python3 -c "
+ import json; d = json.load(open('report.json')); print(d['kind'], sorted(d), [n['quantized'] for n in d['nodes']])"
> report ['kind', 'lineage', 'nodes', 'samples', 'type', 'values', 'version'] [True, True]

Rules.
$ rules() { printf '{"kind": "rules", "version": 1, %s}' "$1" > rules.json; shift; quantize net.mlir --ranges r.json --rules rules.json "$@"; }; declare -f rules > rules.sh
$ . ./rules.sh; rules '"global": "none"' -o q.qn
! quantize: 2 of 2 operators stay float; see -v or --report for which and why
$ . ./rules.sh; rules '"node_names": {"gemm": "none"}' -v -o q.qn
! quantize: 1 of 2 operators stay float
!   gemm (Gemm): the rule of node gemm sets none
$ . ./rules.sh; rules '"op_types": {"Gemm": "none"}' --strict -o strict.qn; echo $?; ls strict.qn
> 1
! quantize: 1 of 2 operators stay float
!   gemm (Gemm): the rule of op type Gemm sets none
! ls: cannot access 'strict.qn': No such file or directory
? 2
$ . ./rules.sh; rules '"op_types": {"Conv": "none"}' -o q.qn
! quantize: net.mlir: rule op_types."Conv" matches nothing
! hint: model-info lists names, scopes and operators
? 3
$ . ./rules.sh; rules '"op_type": {"Gemm": "none"}' -o q.qn
! quantize: rules.json: op_type: is not a kind of rule (did you mean "op_types"?)
? 3
$ . ./rules.sh; rules '"global": "i9"' -o q.qn
! quantize: rules.json: global: unknown type "i9" (did you mean "i8"?)
? 3
$ . ./rules.sh; rules '"global": {"typ": "i8"}' -o q.qn
! quantize: rules.json: global.typ: is not a key of a rule (type, method)
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
$ quantize net.mlir --ranges r.json --form qoperator -o q.onnx && model-info q.onnx | sed -n '/operators/,/parameters/p'
> operators   DequantizeLinear                     1
>             QuantizeLinear                       1
>             com.microsoft.QGemm                  1
> parameters  16 (40 bytes)
$ quantize net.mlir --ranges r.json -f text | grep -o 'onnx.Relu".*'
> onnx.Relu"(%sum) {onnx_node_name = "relu", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<-128> : tensor<i8>}]} : (tensor<2x2xf32>) -> tensor<2x2xf32>

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
