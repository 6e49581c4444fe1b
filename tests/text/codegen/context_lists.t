The outputs that an input list asks for are those of a context and of a library as of a model.

$ cat >net.mlir <<'END'
+ func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
+   %a = "onnx.Abs"(%x) {onnx_node_name = "abs"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %b = "onnx.Neg"(%a) {onnx_node_name = "neg"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %c = "onnx.Exp"(%b) {onnx_node_name = "exp"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %b, %c : tensor<1x4xf32>, tensor<1x4xf32>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(struct.pack('4f', -1, 0, 1, 2))"
$ codegen net.mlir -p context -o net.qctx && codegen net.mlir -p cpp --lib -o lib
$ for selection in '%c' '#exp' '#neg' '%b c' '#exp neg'; do
+     printf '%s\nx.raw\n' "$selection" >list
+     run net.mlir --input-list list -o want && run net.qctx --input-list list -o got && run lib/libnet.so --input-list list -o lgot
+     diff -r want got && diff -r want lgot && (cd want && find . -type f | sort | xargs)
+     rm -r want got lgot
+ done
> ./Result_0/c.raw
> ./Result_0/c.raw
> ./Result_0/b.raw
> ./Result_0/b.raw ./Result_0/c.raw
> ./Result_0/b.raw ./Result_0/c.raw
$ printf '#exp\nx.raw\n' | run net.mlir --input-list - -o piped && ls piped/Result_0
> c.raw
$ printf '%%a\nx.raw\n' >list; run net.qctx --input-list list -o got
! run: net.qctx: no part of the context hands on a value "a" (did you mean "x"?)
! hint: those it has: x, b, c
? 3
