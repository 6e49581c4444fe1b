The statements on placement files of the house plan's facts, one by one (17 to 33). Where one is shown in full elsewhere, its line says where.

$ cat > devices <<'END'
+ #!/bin/bash
+ place "$@" --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 3 echo
+ END
$ chmod +x devices
$ cat > wish <<'END'
+ #!/bin/bash
+ echo "{\"device_placement\": [{\"device\": \"$1\", \"node_type\": \"$2\", \"onnx_node_name\": \"$3\"}]}"
+ END
$ chmod +x wish

17, 19, 27: the flat file, the first match decides, records that match nothing: document.t.
18: whole names, both, with case.

$ ./wish cpu onnx.Rel 'Relu_.*' > w.json; ./devices $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json -q | grep -c nnpa
> 4
$ ./wish cpu ONNX.RELU 'Relu_.*' > w.json; ./devices $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json -q | grep -c nnpa
> 4
$ ./wish cpu onnx.Relu 'elu_1' > w.json; ./devices $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json -q | grep -c nnpa
> 4

20, 21, 22: a record for each node in program order, names with any characters match themselves alone when they are loaded; constants, inputs and returns
never appear; nodes without a name get one that is the same on every run.

$ cat > names.mlir <<'END'
+ func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
+   %c = "onnx.Constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
+   %0 = "onnx.Relu"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   %1 = "onnx.Add"(%0, %c) {onnx_node_name = "a(b)+[c]*?.|{1}^$"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+   %2 = "onnx.Relu"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   %3 = "onnx.Sigmoid"(%2) : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   onnx.Return %3 : tensor<2x3xf32>
+ }
+ END
$ place names.mlir --target nnpa --heuristic QualifyingOps --save-placement saved.json; grep onnx_node_name saved.json
>       "onnx_node_name": "Relu_0"
>       "onnx_node_name": "a\\(b\\)\\+\\[c\\]\\*\\?\\.\\|\\{1\\}\\^\\$"
>       "onnx_node_name": "Relu_1"
>       "onnx_node_name": "Sigmoid_2"
! place: 1 of 4 nodes run on cpu, as no other device can run them; see -v for which and why
$ place names.mlir --target nnpa --load-placement saved.json --save-placement - | cmp - saved.json

23: a wish that is refused: errors.t.
24: cpu holds against every heuristic; a fused group takes its strictest member: unit tests place_assign, place_partition.

$ ./wish cpu onnx.Add '.*' > w.json; for h in QualifyingOps FasterOps FasterOpsWSU MuchFasterOpsWSU min-cut; do ./devices names.mlir --target nnpa --heuristic $h --load-placement w.json | grep Add; done | sort | uniq -c | sed 's/^ *//'
> 5 -- cpu onnx.Add

25: "" leaves the choice to the tool; what is wrong in a record is an error with file, record and key (exit code 3, nothing is written): errors.t.

$ ./wish '' 'onnx.*' '.*' > w.json; place names.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json --save-placement - | cmp - saved.json
! place: 1 of 4 nodes run on cpu, as no other device can run them; see -v for which and why

26: devices in any case, written in lower case; which there are, the target says.

$ ./wish CPU onnx.Add '.*' > w.json; ./devices names.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json | grep Add
> -- cpu onnx.Add
$ ./wish NPU-B onnx.Add '.*' > w.json; ./devices names.mlir --target two-npu --load-placement w.json | grep Add
> -- npu-b onnx.Add

28: no records, no list, an empty object: as without a file. Keys of other kinds are passed over: errors.t.

$ for text in '{"device_placement": []}' '{}' '{"_comment": "nothing asked for"}'; do echo "$text" > w.json; place names.mlir --target nnpa --heuristic QualifyingOps --load-placement w.json --save-placement - | cmp - saved.json; done
! place: w.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: 1 of 4 nodes run on cpu, as no other device can run them; see -v for which and why
! place: w.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: 1 of 4 nodes run on cpu, as no other device can run them; see -v for which and why
! place: w.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: 1 of 4 nodes run on cpu, as no other device can run them; see -v for which and why

29, 30, 31: heuristics, transfers and operators without costs: unit tests place_assign, place_cut.
32: the newer form: unit test placement. First match for each property by itself:

$ cat > config.json <<'END'
+ {"nnpa_ops_config": [
+   {"pattern": {"match": {"node_type": "onnx.Sigmoid"}, "rewrite": {"device": "cpu"}}},
+   {"pattern": {"match": {"node_type": "onnx.MatMul", "onnx_node_name": "MatMul_1"}, "rewrite": {"quantize": true}}},
+   {"pattern": {"match": {"node_type": "onnx.MatMul"}, "rewrite": {"quantize": false}}},
+   {"pattern": {"match": {"node_type": "onnx.MatMul"}, "rewrite": {"device": "nnpa"}}}]}
+ END
$ cat > products.mlir <<'END'
+ %0 = "onnx.MatMul"(%a, %b) {onnx_node_name = "MatMul_0"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
+ %1 = "onnx.MatMul"(%0, %b) {onnx_node_name = "MatMul_1"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
+ %2 = "onnx.MatMul"(%1, %b) {onnx_node_name = "MatMul_2"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
+ %3 = "onnx.Sigmoid"(%2) {onnx_node_name = "Sigmoid"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
+ END
$ place products.mlir --target nnpa --load-placement config.json -f text -o - | grep -o '"onnx.*{[^}]*}'
> "onnx.MatMul"(%a, %b) {device = "nnpa", onnx_node_name = "MatMul_0"}
> "onnx.MatMul"(%0, %b) {device = "nnpa", onnx_node_name = "MatMul_1"}
> "onnx.MatMul"(%1, %b) {device = "nnpa", onnx_node_name = "MatMul_2"}
> "onnx.Sigmoid"(%2) {device = "cpu", onnx_node_name = "Sigmoid"}

33: the text form shows devices and obeys them: document.t, tests/text/text/documents.t.
