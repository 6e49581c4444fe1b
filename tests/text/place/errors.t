What is wrong in a placement file is named with file, record and key; exit code 3, and nothing is written.

$ cat > try <<'END'
+ #!/bin/bash
+ cat > cfg.json
+ place $TEST_MODELS/relu_chain.onnx --target nnpa --load-placement cfg.json --save-placement saved.json -o out.onnx
+ code=$?
+ ls saved.json out.onnx 2>/dev/null
+ exit $code
+ END
$ chmod +x try

$ echo '{"device_placement": [{"node_type": "onnx.Relu", "onnx_node_name": ".*"}]}' | ./try
! place: cfg.json: device_placement[0]: "device" is missing
? 3
$ echo '{"device_placement": [{"device": "cpu", "onnx_node_name": ".*"}]}' | ./try
! place: cfg.json: device_placement[0]: "node_type" is missing
? 3
$ echo '{"device_placement": [{"device": 1, "node_type": "onnx.Relu", "onnx_node_name": ".*"}]}' | ./try
! place: cfg.json: device_placement[0].device: is a number, need a string
? 3
$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": 1}]}' | ./try
! place: cfg.json: device_placement[0].onnx_node_name: is a number, need a string
? 3
$ echo '{"device_placement": ["cpu"]}' | ./try
! place: cfg.json: device_placement[0]: is a string, need an object
? 3
$ echo '{"device_placement": {}}' | ./try
! place: cfg.json: device_placement: is an object, need an array
? 3
$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.(Relu", "onnx_node_name": ".*"}]}' | ./try
! place: cfg.json: device_placement[0].node_type: the expression "onnx.(Relu" has a parenthesis or a repetition that stands alone
? 3
$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": "(.)\\1"}]}' | ./try
! place: cfg.json: device_placement[0].onnx_node_name: \1 is a back reference, which is not matched
? 3
$ echo '{"device_placement": [{"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": "((a?){1000}){1000}"}]}' | ./try
! place: cfg.json: device_placement[0].onnx_node_name: the expression stands for more than 4096 states when its repetitions are written out
? 3
$ echo '{"device_placement": [{"device": "npna", "node_type": "onnx.Relu", "onnx_node_name": ".*"}]}' | ./try
! place: cfg.json: device_placement[0].device: target nnpa has no device "npna"
! hint: it has cpu, nnpa; "" leaves the choice to the tool
? 3
$ echo '{"device_placement": [' | ./try
! place: cfg.json: not JSON: line 2, column 1
? 3
$ echo '[]' | ./try
! place: cfg.json: is an array, need an object
? 3
$ echo '{"nnpa_ops_config": [{"match": {"node_type": "onnx.Relu"}, "rewrite": {"device": "cpu"}}]}' | ./try
! place: cfg.json: nnpa_ops_config[0]: "pattern" is missing
? 3
$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.Relu", "inputs": {"0": {"rank": "%0==1"}}}, "rewrite": {"device": "cpu"}}}]}' | ./try
! place: cfg.json: nnpa_ops_config[0].pattern.match.inputs.0.rank: is "%0==1", need N, ==N, !=N, <N, <=N, >N, >=N or %N==R with whole numbers
? 3
$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.Relu", "inputs": {"first": {"rank": "3"}}}, "rewrite": {"device": "cpu"}}}]}' | ./try
! place: cfg.json: nnpa_ops_config[0].pattern.match.inputs.first: "first" is not an index of one
? 3
$ echo '{"nnpa_ops_config": [{"pattern": {"match": {"node_type": "onnx.Relu"}, "rewrite": {"quantize": "no"}}}]}' | ./try
! place: cfg.json: nnpa_ops_config[0].pattern.rewrite.quantize: is a string, need true or false
? 3

An unknown device in the model, an unknown target, no target, an unknown node.

$ sed 's/{onnx_node_name = "Relu_1"/{device = "nnnpa", onnx_node_name = "Relu_1"/' $TEST_MODELS/relu_chain.mlir | place - --target nnpa -o out.onnx
! place: <stdin>: node "Relu_1" (onnx.Relu): device "nnnpa" is not defined by target nnpa (did you mean "nnpa"?)
! hint: target nnpa has the devices cpu, nnpa
? 3
$ place $TEST_MODELS/relu_chain.onnx --target nppa -o out.onnx
! place: there is no target "nppa" (did you mean "nnpa"?)
! hint: --list-targets lists them; a file's name ends in .json
? 2
$ place $TEST_MODELS/relu_chain.onnx -o out.onnx
! place: --target is missing
! hint: --list-targets lists the targets
? 2
$ place $TEST_MODELS/relu_chain.onnx --target nnpa --explain Relu_00
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
! place: there is no node "Relu_00" (did you mean "Relu_0"?)
? 2

Nothing asked for: no list, an empty one, extra keys, other tools' keys. A slip of the pen is told.

$ for text in '{}' '{"device_placement": []}' '{"_comment": 1, "compile_options": ["-O3"]}' '{"device_placment": []}'; do echo "$text" | ./try; done
> out.onnx
> saved.json
> out.onnx
> saved.json
> out.onnx
> saved.json
> out.onnx
> saved.json
! place: cfg.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
! place: cfg.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
! place: cfg.json: compile_options are another compiler's and are passed over
! place: cfg.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
! place: cfg.json: "device_placment" is not a key of placement files (did you mean "device_placement"?)
! hint: keys: device_placement, quantization, nnpa_ops_config, compile_options; a comment's key begins with _
? 3
$ rm saved.json out.onnx

A wish that the device refuses: the node runs and is saved on the CPU, and it is told; --strict fails.

$ echo '{"device_placement": [{"device": "NNPA", "node_type": "onnx.Gather", "onnx_node_name": ".*", "_comment": "extra keys are let be"}]}' > wish.json
$ cat > gather.mlir <<'END'
+ %1 = "onnx.Gather"(%x, %i) {onnx_node_name = "g"} : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
+ END
$ place gather.mlir --target nnpa --load-placement wish.json --save-placement -
> {
>   "device_placement": [
>     {
>       "device": "cpu",
>       "node_type": "onnx.Gather",
>       "onnx_node_name": "g"
>     }
>   ]
> }
! place: nodes that do not run on the requested device: 1
!   node "g" (onnx.Gather): nnpa cannot run it: operator Gather is not one of nnpa's
! place: 1 of 1 nodes run on cpu, as no other device can run them; see -v for which and why
$ place gather.mlir --target nnpa --load-placement wish.json --save-placement - --strict
! place: nodes that do not run on the requested device: 1
!   node "g" (onnx.Gather): nnpa cannot run it: operator Gather is not one of nnpa's
? 1
