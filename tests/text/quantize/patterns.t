Patterns of names, and subgraphs from one node to another.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5, 0.1, 0.2], [0.0, 2.54, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [-1.0, -0.9, -0.8, -0.7]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "/net/block.0/fc1/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Relu"(%a) {onnx_node_name = "/net/block.0/Relu"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %c = "onnx.MatMul"(%b, %w) {onnx_node_name = "/net/block.1/fc1/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %d = "onnx.MatMul"(%b, %w) {onnx_node_name = "/net/block.1/fc2/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %e = "onnx.Mul"(%c, %d) {onnx_node_name = "/net/block.1/Mul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   %y = "onnx.MatMul"(%e, %w) {onnx_node_name = "/net/head[0]/MatMul"} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ sed -i 's/"\/net\/block.1\/Mul"} : (tensor<1x4xf32>, tensor<4x4xf32>)/"\/net\/block.1\/Mul"} : (tensor<1x4xf32>, tensor<1x4xf32>)/' net.mlir
$ model-convert net.mlir --passes none -o net.onnx && minmax-collect -q net.onnx --random 1 --rows 8 -o r.json
$ cat > q.sh <<'END'
+ q() { quantize net.onnx --ranges r.json --report report.json -q -o q.qn "$@"; }
+ show() { python3 -c "
+ import json; r = json.load(open('report.json'))
+ print(*(n['name'].removeprefix('/net/') + ': ' + n['rule'] for n in r['nodes']), sep='\n')"; }
+ END

Of nodes, modules, operators and module types; a name that is the same goes before, and the longest pattern.
$ . ./q.sh; q --set-node-name '/net/*/fc1/MatMul=w8a16' --set-node-name '/net/*=i8' && show
> block.0/fc1/MatMul: nodes /net/*/fc1/MatMul
> block.0/Relu: nodes /net/*
> block.1/fc1/MatMul: nodes /net/*/fc1/MatMul
> block.1/fc2/MatMul: nodes /net/*
> block.1/Mul: nodes /net/*
> head[0]/MatMul: nodes /net/*
$ . ./q.sh; q --set-node-name '/net/head[0]/MatMul=w8a16' --set-node-name '*/fc?/MatMul=u8i8' && show
> block.0/fc1/MatMul: nodes */fc?/MatMul
> block.0/Relu: nodes */fc?/MatMul
> block.1/fc1/MatMul: nodes */fc?/MatMul
> block.1/fc2/MatMul: nodes */fc?/MatMul
> block.1/Mul: type
> head[0]/MatMul: node /net/head[0]/MatMul
$ . ./q.sh; q --set-module-name '/net/block.*=w8a16' --set-op-type 'Re*=i8' && show
> block.0/fc1/MatMul: module /net/block.*
> block.0/Relu: module /net/block.*
> block.1/fc1/MatMul: module /net/block.*
> block.1/fc2/MatMul: module /net/block.*
> block.1/Mul: module /net/block.*
> head[0]/MatMul: type
$ . ./q.sh; q --set-module-type 'fc[12]=w8a16' && show
> block.0/fc1/MatMul: module type fc[12]
> block.0/Relu: module type fc[12]
> block.1/fc1/MatMul: module type fc[12]
> block.1/fc2/MatMul: module type fc[12]
> block.1/Mul: type
> head[0]/MatMul: type

Every node on a way from the first to the last, both included.
$ . ./q.sh; q --set-subgraph '/net/block.0/Relu../net/block.1/Mul=none' && show
> block.0/fc1/MatMul: type
> block.0/Relu: subgraph /net/block.0/Relu../net/block.1/Mul
> block.1/fc1/MatMul: subgraph /net/block.0/Relu../net/block.1/Mul
> block.1/fc2/MatMul: subgraph /net/block.0/Relu../net/block.1/Mul
> block.1/Mul: subgraph /net/block.0/Relu../net/block.1/Mul
> head[0]/MatMul: type
$ . ./q.sh; q --set-subgraph '*fc2/MatMul..*head*=w8a16' --set-op-type Mul=none && show
> block.0/fc1/MatMul: type
> block.0/Relu: type
> block.1/fc1/MatMul: type
> block.1/fc2/MatMul: subgraph *fc2/MatMul..*head*
> block.1/Mul: subgraph *fc2/MatMul..*head*
> head[0]/MatMul: subgraph *fc2/MatMul..*head*
$ echo '{"kind": "rules", "version": 1, "subgraphs": {"/net/block.0/fc1/MatMul../net/block.1/fc1/MatMul": "w8a16"}}' > rules.json
$ . ./q.sh; q --rules rules.json && show
> block.0/fc1/MatMul: subgraph /net/block.0/fc1/MatMul../net/block.1/fc1/MatMul
> block.0/Relu: subgraph /net/block.0/fc1/MatMul../net/block.1/fc1/MatMul
> block.1/fc1/MatMul: subgraph /net/block.0/fc1/MatMul../net/block.1/fc1/MatMul
> block.1/fc2/MatMul: type
> block.1/Mul: type
> head[0]/MatMul: type

A pattern whose nodes are all those of rules that go before it has matched something.
$ . ./q.sh; q --set-node-name '/net/*/fc1/MatMul=w8a16' --set-node-name '*fc1*=i8' --set-node-name '/net/block.1/fc2/MatMul=i8' --set-node-name '*fc2*=w8a16' --set-op-type Relu=i8 --set-op-type 'Re*=w8a16' && show
> block.0/fc1/MatMul: nodes /net/*/fc1/MatMul
> block.0/Relu: op type Relu
> block.1/fc1/MatMul: nodes /net/*/fc1/MatMul
> block.1/fc2/MatMul: node /net/block.1/fc2/MatMul
> block.1/Mul: type
> head[0]/MatMul: type

What matches nothing is named.
$ . ./q.sh; q --set-node-name '/net/block.2/*=none'
! quantize: net.onnx: rule node_names."/net/block.2/*" matches nothing (did you mean "/net/block.1/Mul"?)
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-op-type 'Conv*=none'
! quantize: net.onnx: rule op_types."Conv*" matches nothing
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-subgraph 'Relu../net/block.1/Mul=none'
! quantize: net.onnx: rule subgraphs."Relu../net/block.1/Mul" matches nothing: there is no node "Relu"
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-subgraph '/net/block.1/fc1/MatMul../net/block.1/fc2/MatMul=none'
! quantize: net.onnx: rule subgraphs."/net/block.1/fc1/MatMul../net/block.1/fc2/MatMul" matches nothing: no way leads from "/net/block.1/fc1/MatMul" to "/net/block.1/fc2/MatMul"
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; q --set-subgraph '/net/block.1/fc1/MatMul=none'
! quantize: net.onnx: rule subgraphs."/net/block.1/fc1/MatMul" matches nothing: need FIRST..LAST, the names of two nodes
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ . ./q.sh; quantize net.onnx --ranges r.json -o q.qn --set-subgraph 'Relu..Mul=none' --allow-unmatched
! quantize: rule subgraphs."Relu..Mul" matches nothing: there is no node "Relu"
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (64 of 64 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
