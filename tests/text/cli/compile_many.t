compile takes several models: each product is that of its model alone, and a model that fails stops no other.
$ mkdir nets out alone; for i in 1 2 3 4 5 6; do cp $EXAMPLES/digits/digits.onnx nets/d$i.onnx; done; cp $NETS/elu.mlir nets
$ head -c 3000 nets/d1.onnx >nets/broken.onnx; head -c 1024 nets/d1.onnx >s.bin
$ quern compile nets/d*.onnx nets/broken.onnx --jobs 4 --type i8 --input 'image=s.bin:u8[1,8,8]/16' -p context -o 'out/{}.qctx'
! compile: nets/broken.onnx: offset 34: field 7 is 40767 bytes long, only 2962 are left
? 3
$ for i in 1 2 3 4 5 6; do quern compile nets/d$i.onnx --type i8 --input 'image=s.bin:u8[1,8,8]/16' -p context -o alone/d$i.qctx; done; diff -r alone out && ls out | wc -l
> 6

Where -o is a pattern, or missing, nothing is overwritten but by --force.
$ echo mine >out/d2.qctx; rm out/d3.qctx; quern compile nets/d2.onnx nets/d3.onnx --type int8_wo -p context -o 'out/{}.qctx'
! compile: nets/d2.onnx: out/d2.qctx: is there already
! hint: --force writes over it, -o names another file
? 2
$ cat out/d2.qctx; ls out/d3.qctx
> mine
> out/d3.qctx
$ quern compile nets/d2.onnx -p context -o 'out/{}.qctx'
! compile: out/d2.qctx: is there already
! hint: --force writes over it, -o names another file
? 2
$ quern compile nets/d2.onnx nets/d3.onnx --jobs 2 --force --type i8 --input 'image=s.bin:u8[1,8,8]/16' -p context -o 'out/{}.qctx' && diff -r alone out
$ quern compile nets/d1.onnx nets/elu.mlir -p context -q && ls nets/*.qctx
> nets/d1.qctx
> nets/elu.qctx
$ quern compile nets/d1.onnx nets/elu.mlir -p context -q
! compile: nets/d1.onnx: nets/d1.qctx: is there already
! hint: --force writes over it, -o names another file
! compile: nets/elu.mlir: nets/elu.qctx: is there already
! hint: --force writes over it, -o names another file
? 2

What makes no sense is refused before any work.
$ quern compile nets/d1.onnx nets/elu.mlir -p context -o x.qctx
! compile: -o x.qctx: of several models each needs a product of its own
! hint: {} stands for the name of each: -o 'out/{}.onnx'
? 2
$ cp nets/d1.onnx .; quern compile nets/d1.onnx d1.onnx -p context -o 'out/{}.qctx'
! compile: -o out/{}.qctx: out/d1.qctx would be the product of nets/d1.onnx and of d1.onnx
? 2
$ quern compile nets/d1.onnx - -p context -o 'out/{}.qctx' </dev/null
! compile: several models are read from files, none from standard input
? 2
$ quern compile nets/d1.onnx d1.onnx --type int8_wo -p context -o 'out/{}.qctx' --quantized x.qn
! compile: --quantized is for one model
? 2
$ quern compile nets/d1.onnx d1.onnx -p context -o 'out/{}.qctx' --output-dir x --random 1
! compile: --output-dir is for one model
? 2
$ quern compile nets/d1.onnx d1.onnx -p context --jobs 0
! compile: --jobs: got "0", need an integer of at least 1
? 2

Processors are divided among what runs at the same time, unless the number of threads is given.
$ rm -f out/*; for t in "" "--threads 3"; do taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//') quern compile nets/d1.onnx nets/d2.onnx nets/d3.onnx --jobs 2 $t --force -v --type int8_wo -p context -o 'out/{}.qctx' 2>&1 | grep threads; done
> compile: 3 models, 2 at the same time, threads of each: 1
> compile: 3 models, 2 at the same time, threads of each: 3
