A model library is code: it is read where its name asks for it, in a process of its own, and not where that is forbidden.

$ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib -o o && model-info o/libdigits.so | sed -n 1,3p
> library     reading it runs its code, in a process of its own
> graph       digits
> inputs      image  float32[batch,1,8,8]
$ for model in o/libdigits.so $EXAMPLES/digits/digits.onnx; do model-info $model --json | grep runs_code; done
>   "runs_code": true,
>   "runs_code": false,
$ for name in digits.onnx digits digits.so.1 digits.qn; do cp o/libdigits.so $name; model-info $name || echo $?; done
> 3
> 3
> 3
> 3
! model-info: digits.onnx: is a library or a program, which is code
! hint: a model library is read by a name that ends in .so
! model-info: digits: is a library or a program, which is code
! hint: a model library is read by a name that ends in .so
! model-info: digits.so.1: is a library or a program, which is code
! hint: a model library is read by a name that ends in .so
! model-info: digits.qn: is a library or a program, which is code
! hint: a model library is read by a name that ends in .so
$ model-info o/libdigits.so --no-libraries
! model-info: o/libdigits.so: is code of others, which --no-libraries forbids
? 4
$ QUERN_LIBRARIES=off run o/libdigits.so --random 1
! run: o/libdigits.so: is code of others, which QUERN_LIBRARIES=off forbids
? 4
$ QUERN_LIBRARIES=never model-info o/libdigits.so
! model-info: o/libdigits.so: QUERN_LIBRARIES: got "never", need on or off
? 2
$ QUERN_LIBRARIES=on model-info o/libdigits.so -q >/dev/null

What it does there is an error that names it.

$ cat > made <<'END'
+ cat > lib$1.c <<TEXT
+ #include <stdlib.h>
+ int quern_model_compose(const void* builder, void* graph) { $2; return 0; }
+ TEXT
+ cc -shared -fPIC lib$1.c -o lib$1.so && model-info lib$1.so
+ END
$ ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0 bash made crash '*(volatile int*)16 = 1'
! model-info: libcrash.so: crashed in quern_model_compose (signal 11, Segmentation fault)
? 4
$ bash made exit 'exit(0)'
! model-info: libexit.so: ended its process in quern_model_compose (exit code 0)
? 4
$ QUERN_BACKEND_TIMEOUT=1 bash made loop 'for (;;) continue'
! model-info: libloop.so: did not finish quern_model_compose within 1 s
? 4
