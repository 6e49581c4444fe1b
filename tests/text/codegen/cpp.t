Models as C++ that builds the graph; the compiled library is a model like any other.

$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib -o o && ls o
> digits.bin
> digits.cpp
> digits_net.json
> libdigits.so
> quern_builder.h
$ for m in $EXAMPLES/digits/digits.onnx o/libdigits.so; do model-convert $m --passes none -f text -o $(basename $m).mlir; done; cmp digits.onnx.mlir libdigits.so.mlir
$ run $EXAMPLES/digits/digits.onnx --random 1 --rows 3 -o a && run o/libdigits.so --random 1 --rows 3 -o b && diff -r a b && ls b | wc -l
> 3
$ minmax-collect o/libdigits.so --random 1 --rows 4 -q -o r.json && quantize o/libdigits.so --ranges r.json --type u8i8 -q -o q.qn && codegen q.qn -p cpp --lib -o o
$ run q.qn --mode int --random 1 --rows 3 -o a && run o/libq.so --mode int --random 1 --rows 3 -o b && diff -r a b

A library of a quantized model computes on codes by itself, as its context does.
$ run o/libq.so --random 1 --rows 3 -o c && diff -r a c && codegen q.qn -p context -o q.qctx && run q.qctx --random 1 --rows 3 -o d && diff -r a d
$ run q.qn --mode float --random 1 --rows 3 -o e && run o/libq.so --mode float --random 1 --rows 3 -o f && diff -r e f
$ codegen $EXAMPLES/digits/digits.onnx -p cpp -o p && for f in digits.bin digits.cpp digits_net.json; do cmp o/$f p/$f; done
$ python3 -c 'import json; j = json.load(open("o/digits_net.json")); print(sorted(j), j["Total parameters"]); g = j["graph"]; print(sorted(next(iter(g["nodes"].values()))))'
> ['Total MACs per inference', 'Total parameters', 'converter_command', 'copyright_str', 'graph', 'model.bin', 'model.cpp', 'op_types'] [...]
> [[...]'input_names', [...]'output_names', 'package', 'scalar_params', 'tensor_params', 'type']

The weights are an archive of what Netron looks for; names of tensors are those of the JSON, whatever they are, and lead out of no folder.

$ tar tf o/digits.bin | sed -n 1,3p
> conv1.weight.raw
> bn1.weight.raw
> bn1.bias.raw
$ cat > names.mlir <<'END'
+ %"a\0Ab" = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+ %"a\5Cnb" = "onnx.Constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+ %"../c" = "onnx.Constant"() {value = dense<[5.0, 6.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+ %y = "onnx.Sum"(%"a\0Ab", %"a\5Cnb", %"../c", %x) {onnx_node_name = "s"} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
+ END
$ codegen names.mlir -p cpp -o names && tar tf names/names.bin && python3 -c 'import json; print(sorted(json.load(open("names/names_net.json"))["graph"]["tensors"]))'
> a\nb.raw
> a\\nb.raw
> tensor_2.raw
> ['../c', 'a\nb', 'a\\nb', 'x', 'y']
$ python3 -c 'import json; print(json.load(open("names/names_net.json"))["graph"]["tensors"]["../c"]["data"])'
> [5.0, 6.0]

The compiler may be a path from here, or have flags; libraries for other processors are named as such.

$ printf '#!/bin/sh\nexec c++ "$@"\n' > mycxx && chmod +x mycxx
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx ./mycxx -o s && cmp p/digits.cpp s/digits.cpp && model-info s/libdigits.so | sed -n 2p
> graph       digits
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx 'c++ -g0 -O1' -o s && model-info s/libdigits.so | sed -n 2p
> graph       digits
$ printf '\050\000' | dd of=s/libdigits.so bs=1 seek=18 conv=notrunc status=none; model-info s/libdigits.so
! model-info: s/libdigits.so: is a library for ARM, 64 bits; this program is for [...]
? 4

$ head -c 9000 o/libdigits.so > cut.so && model-info cut.so
! model-info: cut.so: is cut off: 9000 bytes of [...] or more
? 3

Hostile names stay names.

$ cat > hostile.mlir <<'END'
+ %"*/ \22); system(\22id\22); /*" = "onnx.Relu"(%"while") {onnx_node_name = "\22+evil+\22\0A#error\0A??/ %n \5C"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+ %"int" = "onnx.Exp"(%"*/ \22); system(\22id\22); /*") {onnx_node_name = "/*/*"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+ END
$ codegen hostile.mlir -p cpp --lib -o h && model-convert h/libhostile.so --passes none -f text -o h1.mlir && model-convert hostile.mlir --passes none -f text -o h2.mlir && cmp h1.mlir h2.mlir

So do names of 10,000 characters, and those that end a string, a line or a comment in the middle of one.

$ sed "s/\"int\"/\"$(head -c 10000 /dev/zero | tr '\0' a)\"/; s/evil/$(head -c 10000 /dev/zero | tr '\0' b)*\/ ??) %n/" hostile.mlir > long.mlir
$ codegen long.mlir -p cpp --lib -o h && model-convert h/liblong.so --passes none -f text -o h1.mlir && model-convert long.mlir --passes none -f text -o h2.mlir && cmp h1.mlir h2.mlir
$ grep -c 'aaaaaaaaaa\|bbbbbbbbbb' h1.mlir
> 3
$ codegen long.mlir -p c -o h && cc -std=c99 -Wall -Wextra -Werror -c h/long.c -o h.o && nm h.o | grep -c ' T '
> 4

What is not a model library.

$ cat o/libdigits.so | model-info
! model-info: <stdin>: a model library is code and is loaded from a file, not from a stream
? 4
$ echo 'int x;' > x.c && cc -shared -fPIC -o x.so x.c && model-info x.so
! model-info: x.so: is not a model library: it has no quern_model_compose
? 3
$ printf '\177ELF broken' > y.so; model-info y.so
! model-info: y.so: cannot be loaded as a model library: [...]
? 4
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx no-such-compiler -o n
! codegen: [...]digits.onnx: the compiler no-such-compiler is not on the PATH
? 4
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx false -o n
! codegen: [...]digits.onnx: false could not compile digits.cpp (exit 1)
! hint: the sources stay in n
? 4
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx true -o n
! codegen: [...]digits.onnx: true said that it is done, but made no libdigits.so
? 4
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --cxx c++ -o n
! codegen: [...]digits.onnx: --cxx is for --lib, which is not given
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p cpp --option lib=maybe -o n
! codegen: [...]digits.onnx: --option lib=maybe: need yes or no
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p cpp -o -
! codegen: [...]digits.onnx: -o -: the product is several files, need a folder
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p c --lib -o n
! codegen: --lib is for the generator cpp, not for c
? 2
