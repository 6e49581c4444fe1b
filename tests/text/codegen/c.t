Models as C99: compiled with the strictest flags, whatever the model's names are.

$ codegen $EXAMPLES/digits/digits.onnx -p c -o c
! codegen: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape says otherwise)
$ ls c
> digits.c
> digits.h
$ cc -std=c99 -Wall -Wextra -Werror -c c/digits.c -o digits.o && grep -c digits_run c/digits.h
> 1

Equal inputs give equal files; the preference changes them.

$ codegen $EXAMPLES/digits/digits.onnx -q -p c -o d && diff -r c d
$ codegen $EXAMPLES/digits/digits.onnx -q -p c -o e --preference size && cmp -s c/digits.c e/digits.c
? 1
$ cc -std=c99 -Wall -Wextra -Werror -c e/digits.c -o e.o

Names that would break out of comments, strings and identifiers.

$ cat > hostile.mlir <<'END'
+ %"*/ int x; /*" = "onnx.Relu"(%"while") {onnx_node_name = "*/ #error injected\0A??/ %n \22 \5C"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+ %"??/" = "onnx.Neg"(%"*/ int x; /*") {onnx_node_name = "main"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+ %"int" = "onnx.Exp"(%"??/") {onnx_node_name = "/*/*"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
+ END
$ sed "s/\"main\"/\"$(head -c 10000 /dev/zero | tr '\0' a)\"/" hostile.mlir > hostile2.mlir
$ for m in hostile hostile2; do codegen $m.mlir -p c -o h && cc -std=c99 -Wall -Wextra -Werror -c h/$m.c -o h.o; done; grep -c '#error' h/hostile2.c
> 1
$ awk 'length > 400' h/hostile2.c | wc -l
> 0
$ nm h.o | grep ' T '
> 0000000000000[...] T hostile2_invoke
> 0000000000000[...] T hostile2_run
$ codegen hostile.mlir -p c -o h --option name='x();int evil(){'
$ ls h | grep evil
> x_int_evil.c
> x_int_evil.h

What cannot be generated is named, node by node.

$ cat > no.mlir <<'END'
+ %0 = "onnx.NonZero"(%arg0) {onnx_node_name = "where"} : (tensor<2x3xf32>) -> tensor<2x?xi64>
+ END
$ codegen no.mlir -p c -o no; ls no
! codegen: no.mlir: 1 of 1 nodes cannot be generated as C
!   node "where" (NonZero): value "0" is int64[2,?]: its shape is not known before the run
! ls: cannot access 'no': No such file or directory
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p cc
! codegen: unknown plugin "cc" (did you mean "c"?)
! hint: quern codegen --list-plugins names them; libcc-gen.so is looked for in [...]
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p c --option nam=x
! codegen: generator c has no option "nam" (did you mean "name"?)
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p circle -o d.circle --preference speed && model-info d.circle | head -1
! codegen: circle makes the same whatever --preference says
> graph       [...]
