Limits of the system are errors with a place: a size of files, a folder for temporary files that is not there, a disk that is full.

$ model-convert $EXAMPLES/digits/digits.onnx -o net.onnx; printf '%%y = "onnx.Relu"(%%x) : (tensor<1000xf32>) -> tensor<1000xf32>\n' > net.mlir
$ (ulimit -f 1; model-convert net.onnx -o net.qn); ls net.qn
! model-convert: net.qn: cannot write: File too large
! ls: cannot access 'net.qn': No such file or directory
? 2
$ (ulimit -f 1; model-convert net.onnx -f onnx >out)
! model-convert: <stdout>: cannot write: File too large
? 5
$ TMPDIR=$PWD/nosuch codegen net.onnx -p cpp --lib -o m 2>&1 | sed "s|$PWD|.|"; ls
> codegen: net.onnx: ./nosuch: cannot create a temporary folder: No such file or directory
> net.mlir
> net.onnx
> out
$ cat net.onnx | TMPDIR=$PWD/nosuch model-info 2>&1 | sed "s|$PWD|.|"
> model-info: ./nosuch: cannot create a temporary file: No such file or directory
? 5

What has failed leaves no empty folder.
$ (ulimit -f 1; codegen net.onnx -p c -o new/c; codegen net.onnx -p cpp -o new/cpp/; run net.mlir --random 1 -o new/run; codegen net.onnx -p context --cache new/cache -o n.qctx; model-convert net.onnx --dump-each new/each -o n.qn); ls
> net.mlir
> net.onnx
> out
! codegen: net.onnx: new/c/net.c: cannot write: File too large
! codegen: net.onnx: new/cpp//net.bin: cannot write: File too large
! run: new/run/Result_0/y.raw: cannot write: File too large
! codegen: net.onnx: back end "cpu": temporary file: cannot write: File too large
! model-convert: n.qn: cannot write: File too large
$ (ulimit -f 16; codegen net.mlir -p cpp -o new); ls
> net.mlir
> net.onnx
> out
! codegen: net.mlir: new/quern_builder.h: cannot write: File too large
$ mkdir old && (ulimit -f 1; run net.mlir --random 1 -o old/run/deep) 2>/dev/null; ls -A old; run net.mlir --random 1 -o old/run/deep && ls old/run/deep
> Result_0

An input that another process cuts short while it is mapped.
$ mkfifo pipe; (run net.onnx --input image=pipe -o result; echo $?) & exec 3>pipe; sleep 0.3; truncate -s 0 net.onnx; head -c 256 /dev/zero >&3; exec 3>&-; wait
> 5
! run: net.onnx: changed while it was read
