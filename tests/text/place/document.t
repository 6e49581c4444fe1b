The device placement document's program and its examples. `devices` shows the devices in program order.

$ cat > devices <<'END'
+ #!/bin/bash
+ place $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --save-placement - "$@" | grep '"device":' | cut -d'"' -f4 | xargs
+ END
$ chmod +x devices

No file: every node that the accelerator can run goes there.

$ ./devices
> nnpa nnpa nnpa nnpa
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

Example 1: all on the CPU.

$ cat > 1.json <<'END'
+ {
+   "device_placement": [
+     {
+       "device": "cpu",
+       "node_type": "onnx.*",
+       "onnx_node_name": ".*"
+     }
+   ]
+ }
+ END
$ ./devices --load-placement 1.json
> cpu cpu cpu cpu
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

Example 2: every Relu on the CPU.

$ cat > 2.json <<'END'
+ {
+   "device_placement": [
+     {
+       "device": "cpu",
+       "node_type": "onnx.Relu",
+       "onnx_node_name": ".*"
+     }
+   ]
+ }
+ END
$ ./devices --load-placement 2.json
> cpu cpu cpu nnpa
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

Example 3: Relu_1 and Relu_2 by an expression, Sigmoid_0 by its name.

$ cat > 3.json <<'END'
+ {
+   "device_placement": [
+     {
+       "device": "cpu",
+       "node_type": "onnx.Relu",
+       "onnx_node_name": "Relu_(1|2)"
+     },
+     {
+       "device": "nnpa",
+       "node_type": "onnx.Sigmoid",
+       "onnx_node_name": "Sigmoid_0"
+     }
+   ]
+ }
+ END
$ ./devices --load-placement 3.json
> nnpa cpu cpu nnpa
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

Example 4: Relu is not an onnx.Relu; the record that sets nothing is told, or fatal.

$ cat > 4.json <<'END'
+ {
+   "device_placement": [
+     {
+       "device": "cpu",
+       "node_type": "Relu",
+       "onnx_node_name": "Relu_(1|2)"
+     },
+     {
+       "device": "cpu",
+       "node_type": "onnx.Sigmoid",
+       "onnx_node_name": "Sigmoid_0"
+     }
+   ]
+ }
+ END
$ ./devices --load-placement 4.json
> nnpa nnpa nnpa cpu
! place: 4.json: records without effect: 1
!   device_placement[0] matches no node
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ ./devices --load-placement 4.json --strict
>
! place: 4.json: records without effect: 1
!   device_placement[0] matches no node

Example 5: records overlap; the first one decides.

$ cat > 5.json <<'END'
+ {
+   "device_placement": [
+     {
+       "device": "cpu",
+       "node_type": "onnx.Relu",
+       "onnx_node_name": "Relu_(0|1)"
+     },
+     {
+       "device": "nnpa",
+       "node_type": "onnx.Sigmoid",
+       "onnx_node_name": "Sigmoid_0"
+     },
+     {
+       "device": "cpu",
+       "node_type": "onnx.Relu",
+       "onnx_node_name": "Relu_(1|2)"
+     }
+   ]
+ }
+ END
$ ./devices --load-placement 5.json
> cpu cpu cpu nnpa
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

A last record that earlier ones leave nothing to.

$ cat > 6.json <<'END'
+ {"device_placement": [
+   {"device": "cpu", "node_type": "onnx.Relu", "onnx_node_name": "Relu_(1|2)"},
+   {"device": "nnpa", "node_type": "onnx.Sigmoid", "onnx_node_name": "Sigmoid_0"},
+   {"device": "nnpa", "node_type": "onnx.Relu", "onnx_node_name": "Relu_1"}]}
+ END
$ ./devices --load-placement 6.json
> nnpa cpu cpu nnpa
! place: 6.json: records without effect: 1
!   device_placement[2] sets nothing: earlier records have every node that it matches
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

The file as it is saved: all nodes in program order; saved, loaded and saved again it is the same to the byte.

$ place $TEST_MODELS/relu_chain.onnx --target nnpa --heuristic QualifyingOps --load-placement 3.json --save-placement saved.json; cat saved.json
> {
>   "device_placement": [
>     {
>       "device": "nnpa",
>       "node_type": "onnx.Relu",
>       "onnx_node_name": "Relu_0"
>     },
>     {
>       "device": "cpu",
>       "node_type": "onnx.Relu",
>       "onnx_node_name": "Relu_1"
>     },
>     {
>       "device": "cpu",
>       "node_type": "onnx.Relu",
>       "onnx_node_name": "Relu_2"
>     },
>     {
>       "device": "nnpa",
>       "node_type": "onnx.Sigmoid",
>       "onnx_node_name": "Sigmoid_0"
>     }
>   ]
> }
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ place $TEST_MODELS/relu_chain.onnx --target nnpa --heuristic QualifyingOps --load-placement saved.json --save-placement - | cmp - saved.json
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)

Devices of the model's text are obeyed, and shown again; placing twice changes nothing.

$ sed 's/{onnx_node_name = "Relu_1"/{device="CPU", onnx_node_name = "Relu_1"/' $TEST_MODELS/relu_chain.mlir > edited.mlir
$ place edited.mlir --target nnpa --heuristic QualifyingOps -f text -o placed.mlir; cat placed.mlir
> module attributes {quern.lineage = "6624d82bd0288d46fcd29c12f2300257", quern.metadata = {placed_on = "nnpa"}} {
>   func.func @relu_chain(%arg0: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>) {
>     %0 = "onnx.Relu"(%arg0) {device = "nnpa", onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %1 = "onnx.Relu"(%0) {device = "cpu", onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %2 = "onnx.Relu"(%1) {device = "nnpa", onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %3 = "onnx.Sigmoid"(%2) {device = "nnpa", onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     onnx.Return %3 : tensor<?x?x?xf32>
>   }
> }
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ place placed.mlir --target nnpa --heuristic QualifyingOps -f text -o - | cmp - placed.mlir
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ model-convert placed.mlir --passes none -o placed.onnx && place placed.onnx --target nnpa --save-placement - | grep '"device":' | sort | uniq -c
>       1       "device": "cpu",
>       3       "device": "nnpa",
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
