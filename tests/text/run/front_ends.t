Front ends of PyTorch, TensorFlow and GGUF are libraries of their own: a file of theirs loads one, other files none.
$ cat >loads <<'END' && chmod +x loads
+ LD_DEBUG=files "$@" 2>&1 >out | grep -oE 'calling init: .*/libquern_(gguf|tensorflow|torch)\.so' | sed 's/.*_//' | xargs
+ END
+ cp $TEST_MODELS/exports/torch_functions/order.pt2 .
+ for file in $EXAMPLES/digits/digits.onnx $TEST_MODELS/relu_chain.mlir order.pt2; do
+     ./loads run $file --random 1
+     ./loads model-convert $file -o out.onnx
+ done
>
>
>
>
> torch.so
> torch.so
Of GGUF the container is read without it.
$ python3 -c "open('vocabulary.gguf', 'wb').write(b'GGUF' + (3).to_bytes(4, 'little') + bytes(16))"
+ ./loads model-info vocabulary.gguf; ./loads model-convert vocabulary.gguf -o out.qn
>
> gguf.so
A node of PyTorch that was kept gets its hint from there, in whatever file it is.
$ cat > kept.mlir <<'END'
+ func.func @net(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
+   %y = "torch.aten.renorm.default"(%x) {onnx_node_name = "kept"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   return %y : tensor<2x3xf32>
+ }
+ END
+ model-convert kept.mlir -o kept.qn && run kept.qn --random 1
! run: node "kept" (torch.aten.renorm.default): there is no implementation of this operator
! hint: torch can take it apart into operators that quern has: export again, and save ep.run_decompositions()
? 4
A library that is not there is named, and nothing else needs it.
$ lib=$(dirname "$(command -v run)")/../lib && mkdir -p lib/quern-0 && ln -s $lib/libquern.so* lib && ln -s $lib/quern-0/* lib/quern-0 && rm lib/quern-0/libquern_torch.so
+ export LD_LIBRARY_PATH=$PWD/lib
+ run $EXAMPLES/digits/digits.onnx --random 1 >out && model-info order.pt2
! model-info: order.pt2: [...]/libquern_torch.so: cannot open shared object file: No such file or directory
? 5
