Equal inputs give equal bytes, whatever the generator and the number of threads.

$ for p in c cpp; do for n in 1 2; do codegen $EXAMPLES/digits/digits.onnx -q -p $p -o $p$n; done; diff -r ${p}1 ${p}2 && echo $p; done
> c
> cpp
$ for p in context tflite circle; do for n in 1 2; do codegen $EXAMPLES/digits/digits.onnx -q -p $p -o $n.$p; done; cmp 1.$p 2.$p && echo $p; done
> context
> tflite
> circle

The weights, the program and its description do not depend on where they are written.

$ mkdir -p a/b && codegen $EXAMPLES/digits/digits.onnx -q -p cpp -o a/b/c && diff -r cpp1 a/b/c && grep -l "$PWD" -r cpp1 c1 1.context 1.tflite
? 1
