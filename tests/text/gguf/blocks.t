Weights in blocks, written for others: tables whose rows are looked up by codes, some with minima, and a matrix; scales of both signs.

$ cp $NETS/../../laws/graphs/blocks.mlir .
$ model-convert blocks.mlir -o blocks.onnx
$ model-convert blocks.mlir -o blocks.qn
$ echo 3,0,5 > ids.csv
$ for m in mlir qn onnx; do run blocks.$m --shape ids=3 --input ids=ids.csv -o $m -q && od -An -w24 -t f4 $m/Result_0/product.raw | awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $6 }'; done
> 5.029 1.714 -0.348
> -1.188 -0.469 -0.428
> 3.489 1.166 -0.064
> 5.029 1.714 -0.348
> -1.188 -0.469 -0.428
> 3.489 1.166 -0.064
> 5.029 1.714 -0.348
> -1.188 -0.469 -0.428
> 3.489 1.166 -0.064
$ model-convert blocks.onnx --passes none -f text | grep -o '_codes = "onnx.Gather".*'
> _codes = "onnx.Gather"(%table_quantized, %ids) {axis = 0 : si64, onnx_node_name = "rows_codes"} : (tensor<8x32xi8>, tensor<?xi64>) -> tensor<?x32xi8>
> _codes = "onnx.Gather"(%other_quantized, %ids) {axis = 0 : si64, onnx_node_name = "more_codes"} : (tensor<8x32xui8>, tensor<?xi64>) -> tensor<?x32xui8>
