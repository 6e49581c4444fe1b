Operations without a function are a model: what is used and not defined is an input, what nothing uses is an output.

$ cat > placed.mlir <<'END'
+ %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+ %1 = "onnx.Relu"(%0) {device="cpu", onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+ %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+ %3 = "onnx.Sigmoid"(%2) {device="nnpa", onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+ END
$ model-info --text placed.mlir
> module attributes {quern.lineage = "42905057ed055de2934d22e981c80cd6"} {
>   func.func @main(%arg0: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>) {
>     %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %1 = "onnx.Relu"(%0) {device = "cpu", onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %3 = "onnx.Sigmoid"(%2) {device = "nnpa", onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     onnx.Return %3 : tensor<?x?x?xf32>
>   }
> }
$ model-convert placed.mlir --passes none -o placed.qn && model-info placed.qn
> inputs      arg0  float32[?,?,?]
> outputs     3  float32[?,?,?]
> nodes       4
> operators   Relu                                 3
>             Sigmoid                              1
> parameters  0 (0 bytes)
> MACs        unknown: shapes are not fixed (model-convert --shape fixes them)
> devices     cpu                                  1
>             nnpa                                 1
> lineage     42905057ed055de2934d22e981c80cd6

A function that is not closed is named; with its brace it is a model.

$ cat > open.mlir <<'END'
+ func.func @test_load_config_file_all_on_cpu(%arg0: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
+   %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %1 = "onnx.Relu"(%0) {onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   %3 = "onnx.Sigmoid"(%2) {onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
+   onnx.Return %3 : tensor<?x?x?xf32>
+ END
$ model-info open.mlir
! model-info: open.mlir: 7:1: func.func @test_load_config_file_all_on_cpu, opened at 1:1, lacks its closing brace
? 3
$ (cat open.mlir; echo '}') | model-info --text -
> module attributes {quern.lineage = "8f3297b6cc70274984c5386b6f97d9b6"} {
>   func.func @test_load_config_file_all_on_cpu(%arg0: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>) {
>     %0 = "onnx.Relu"(%arg0) {onnx_node_name = "Relu_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %1 = "onnx.Relu"(%0) {onnx_node_name = "Relu_1"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %2 = "onnx.Relu"(%1) {onnx_node_name = "Relu_2"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     %3 = "onnx.Sigmoid"(%2) {onnx_node_name = "Sigmoid_0"} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
>     onnx.Return %3 : tensor<?x?x?xf32>
>   }
> }
