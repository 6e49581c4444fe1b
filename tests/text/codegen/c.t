Models as C99: compiled with the strictest flags, whatever the model's names are.

$ codegen $EXAMPLES/digits/digits.onnx -p c -o c
! codegen: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
$ ls c
> digits.c
> digits.h
$ cc -std=c99 -Wall -Wextra -Werror -c c/digits.c -o digits.o && grep -c digits_run c/digits.h
> 2

Equal inputs give equal files; the preference changes them.

$ codegen $EXAMPLES/digits/digits.onnx -q -p c -o d && diff -r c d
$ codegen $EXAMPLES/digits/digits.onnx -q -p c -o e --preference size && cmp -s c/digits.c e/digits.c
? 1
$ cc -std=c99 -Wall -Wextra -Werror -c e/digits.c -o e.o

Products of codes are computed for speed, unless that makes the code larger than the constants are.

$ minmax-collect $EXAMPLES/digits/digits.onnx --random 1 --rows 4 -q -o ranges.json && quantize $EXAMPLES/digits/digits.onnx --ranges ranges.json --type i8 -q -o d8.tflite
$ codegen d8.tflite -p c -o usual && codegen d8.tflite -q -p c -o speed --preference speed && diff -r usual speed && grep -c conv_rows usual/d8.c
> 5
! codegen: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
$ cat > few.mlir <<'END'
+ %w = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
+ %y = "onnx.MatMul"(%x, %w) : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
+ END
$ minmax-collect few.mlir --random 1 --rows 4 -q -o ranges.json && quantize few.mlir --ranges ranges.json --type i8 -q -o few.tflite
$ codegen few.tflite -p c -o few; codegen few.tflite -p c -o fast --preference speed; grep -c conv_rows few/few.c fast/few.c
> few/few.c:0
> fast/few.c:2
! codegen: --preference speed computes 1 product several times as fast, for about 2 KB more beside 78 bytes of constants

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
> 0000000000000[...] T hostile2_invoke_in
> 0000000000000[...] T hostile2_run
> 0000000000000[...] T hostile2_run_in
$ cat > k1.mlir <<'END'
+ %run = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+ %invoke = "onnx.Constant"() {value = dense<[4.0, 5.0, 6.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+ %k1_run = "onnx.Mul"(%x, %run) {onnx_node_name = "k1_invoke"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+ %y = "onnx.Add"(%k1_run, %invoke) {onnx_node_name = "run"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+ END
$ cp k1.mlir stdint.mlir && sed 's/%run/%a_run/' k1.mlir > k_a.mlir && for m in k1 k_a stdint; do codegen $m.mlir -p c -o names; done; cd names; for m in *.c; do cc -std=c99 -Wall -Wextra -Werror -I. -c $m -o $m.o; done; ls
> k1.c
> k1.c.o
> k1.h
> k_a.c
> k_a.c.o
> k_a.h
> stdint_model.c
> stdint_model.c.o
> stdint_model.h
$ codegen hostile.mlir -p c -o h --option name='x();int evil(){'
$ ls h | grep evil
> x_int_evil.c
> x_int_evil.h

If, Loop and Scan stand in the function as blocks. Branches share memory, names of bodies are as harmless as others, and a loop runs as often as its condition says.

$ cat > loop.mlir <<'END'
+ func.func @loop(%n: tensor<i64>, %x: tensor<4xi32>) -> tensor<4xi32> {
+   %none = "onnx.NoValue"() : () -> none
+   %y = "onnx.Loop"(%n, %none, %x) ({
+   ^"*/ body"(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<4xi32>):
+     %k = "onnx.Constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
+     %end = "onnx.Constant"() {value = dense<100> : tensor<i32>} : () -> tensor<i32>
+     %m = "onnx.Mul"(%v, %k) {onnx_node_name = "*/ #error injected\0A"} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
+     %s = "onnx.ReduceMax"(%m) {keepdims = 0} : (tensor<4xi32>) -> tensor<i32>
+     %go = "onnx.Less"(%s, %end) : (tensor<i32>, tensor<i32>) -> tensor<i1>
+     %r = "onnx.If"(%go) ({
+       %far = "onnx.Add"(%m, %end) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
+       %a = "onnx.Sub"(%far, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
+       onnx.Yield %a : tensor<4xi32>
+     }, {
+       %near = "onnx.Sub"(%m, %k) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
+       %b = "onnx.Add"(%near, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
+       onnx.Yield %b : tensor<4xi32>
+     }) : (tensor<i1>) -> tensor<4xi32>
+     onnx.Yield %go, %r : tensor<i1>, tensor<4xi32>
+   }) {onnx_node_name = "turns"} : (tensor<i64>, none, tensor<4xi32>) -> tensor<4xi32>
+   return %y : tensor<4xi32>
+ }
+ END
$ codegen loop.mlir -p c -o loop && grep -Eo '_(far|near) .*arena . [0-9]+' loop/loop.c
> _near = (int32_t*)(void*)(arena + 64
> _far = (int32_t*)(void*)(arena + 64
$ cat > main.c <<'END'
+ #include <stdio.h>
+ #include "loop/loop.h"
+ int main(int count, char **words)
+ {
+     int64_t n = words[1][0] - '0';
+     int32_t x[4] = {1, -2, 3, 0}, y[4];
+     (void)count;
+     loop_run(&n, x, y);
+     printf("%d %d %d %d\n", (int)y[0], (int)y[1], (int)y[2], (int)y[3]);
+     return 0;
+ }
+ END
$ cc -std=c99 -Wall -Wextra -Werror -ffreestanding -c loop/loop.c -o loop.o && nm -u loop.o && cc main.c loop.o -o main && for n in 0 1 2 5; do ./main $n; done
>                  U memcpy
> 1 -2 3 0
> 1 -11 9 -3
> 1 -38 27 -12
> 102 -255 340 -17
$ printf '\1\0\0\0\376\377\377\377\3\0\0\0\0\0\0\0' > x.raw; for n in 0 1 2 5; do printf "\\$n\0\0\0\0\0\0\0" > n.raw; run loop.mlir --input n=n.raw --input x=x.raw -q -o out && od -A n -t d4 out/Result_0/y.raw; done
>            1          -2           3           0
>            1         -11           9          -3
>            1         -38          27         -12
>          102        -255         340         -17

A loop whose rounds give results must turn a known number of times, and what it carries must keep its shape.

$ cat > rounds.mlir <<'END'
+ func.func @rounds(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
+   %none = "onnx.NoValue"() : () -> none
+   %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
+   %y, %each = "onnx.Loop"(%n, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<4xf32>):
+     %m = "onnx.Neg"(%v) : (tensor<4xf32>) -> tensor<4xf32>
+     onnx.Yield %c, %m, %m : tensor<i1>, tensor<4xf32>, tensor<4xf32>
+   }) {onnx_node_name = "open"} : (tensor<i64>, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>)
+   %grown = "onnx.Loop"(%two, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<?xf32>):
+     %m = "onnx.Concat"(%v, %x) {axis = 0} : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
+     onnx.Yield %c, %m : tensor<i1>, tensor<?xf32>
+   }) {onnx_node_name = "grows"} : (tensor<i64>, none, tensor<4xf32>) -> tensor<?xf32>
+   return %y, %each, %grown : tensor<4xf32>, tensor<?x4xf32>, tensor<?xf32>
+ }
+ END
$ codegen rounds.mlir -p c -o no
! codegen: rounds.mlir: 2 of 2 nodes cannot be generated as C
!   node "open" (Loop): output 1 has a result of each round, and how many there are depends on the run
!   node "grows" (Loop): carried value 0 is [4] and would become [8]
? 4
$ cat > never.mlir <<'END'
+ func.func @never(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
+   %none = "onnx.NoValue"() : () -> none
+   %y = "onnx.Loop"(%none, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
+     onnx.Yield %c, %v : tensor<i1>, tensor<2xf32>
+   }) {onnx_node_name = "ever"} : (none, none, tensor<2xf32>) -> tensor<2xf32>
+   %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
+   %z = "onnx.Loop"(%two, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
+     %w = "onnx.NonZero"(%v) {onnx_node_name = "where"} : (tensor<2xf32>) -> tensor<1x?xi64>
+     %f = "onnx.Cast"(%w) {to = 1 : si64} : (tensor<1x?xi64>) -> tensor<1x?xf32>
+     %s = "onnx.ReduceSum"(%f) {keepdims = 0} : (tensor<1x?xf32>) -> tensor<f32>
+     %a = "onnx.Add"(%v, %s) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
+     onnx.Yield %c, %a : tensor<i1>, tensor<2xf32>
+   }) {onnx_node_name = "twice"} : (tensor<i64>, none, tensor<2xf32>) -> tensor<2xf32>
+   return %y, %z : tensor<2xf32>, tensor<2xf32>
+ }
+ END
$ codegen never.mlir -p c -o no
! codegen: never.mlir: 4 of 6 nodes cannot be generated as C
!   node "ever" (Loop): the loop never ends
!   in "twice/body/", node "where" (NonZero): value "w" is int64[1,?]: its shape is not known before the run
!   in "twice/body/", node "Cast_0" (Cast): value "f" is float32[1,?]: its shape is not known before the run
!   in "twice/body/", node "ReduceSum_1" (ReduceSum): value "f" is float32[1,?]: its shape is not known before the run
? 4

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
! hint: it has name, mode, arithmetic, package, report
? 2
$ codegen $EXAMPLES/digits/digits.onnx -p circle -o d.circle --preference speed && model-info d.circle | sed -n 1p
> graph       [...]
! codegen: circle ignores --preference

What is compared with 0 and has no sign makes no warning.

$ cat > unsigned.mlir <<'END'
+ %a = "onnx.Abs"(%x) : (tensor<4xui8>) -> tensor<4xui8>
+ %s = "onnx.Sign"(%a) : (tensor<4xui8>) -> tensor<4xui8>
+ %l = "onnx.ReduceL1"(%z) {keepdims = 0 : si64} : (tensor<4xui32>) -> tensor<ui32>
+ END
$ codegen unsigned.mlir -p c -o unsigned && cc -std=c99 -pedantic -Wall -Wextra -Werror -c unsigned/unsigned.c -o unsigned.o
