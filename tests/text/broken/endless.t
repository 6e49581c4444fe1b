What has no end is refused where a device says so by itself, and else at a stated limit: nothing fills the folder of temporary files.

$ cp $EXAMPLES/digits/digits.onnx net.onnx && cat > net.mlir <<'END'
+ %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
+ END
$ mkdir tmp; export TMPDIR=$PWD/tmp
+ n=0; try() { timeout 5 "$@" -q </dev/null >got 2>err; code=$?; n=$((n + 1)); case "$code $(cat err)" in "5 "*": /dev/zero: is a device, need a file or a pipe") ;; *) echo "$* $(cat err)";; esac; }
+ for tool in model-info run; do try $tool /dev/zero; done; try place /dev/zero --target two-npu
+ try run /dev/zero --random 1; try model-convert /dev/zero -o a.qn; try quantize /dev/zero --type wo-i8 -o a.qn; try codegen /dev/zero -p c -o out
+ try minmax-collect /dev/zero --random 1; try check /dev/zero --ranges r.json --random 1; try compile /dev/zero -p c -o out
+ try model-diff /dev/zero net.onnx; try model-diff net.onnx /dev/zero; n=$((n + 1)); onert_run /dev/zero 2>&1 | grep -c "is a device"
+ try quantize net.onnx --ranges /dev/zero --type i8 -o a.qn; try quantize net.onnx --rules /dev/zero --type wo-i8 -o a.qn
+ try quantize net.onnx --overrides /dev/zero --type wo-i8 -o a.qn; try place net.onnx --target /dev/zero
+ try place net.onnx --target two-npu --load-placement /dev/zero
+ try run net.mlir --input x=/dev/zero; try run net.mlir --input-list /dev/zero; try run net.mlir --random 1 --labels /dev/zero
+ try check net.onnx --ranges /dev/zero --random 1; try model-convert net.onnx --weights /dev/zero -o a.qn
+ try minmax-collect merge /dev/zero; echo $n
> 1
> 24
$ for tool in model-info "run --random 1"; do $tool < /dev/zero; done; run net.mlir --input - < /dev/urandom
! model-info: <stdin>: is a device, need a file or a pipe
! run: <stdin>: is a device, need a file or a pipe
! run: <stdin>: is a device, need a file or a pipe
? 5
$ model-info /dev/null
! model-info: /dev/null: is empty
? 3

Pipes are read up to a limit.
$ export TMPDIR=$PWD/tmp QUERN_SPOOL_LIMIT=1M; yes | model-info
! model-info: <stdin>: is not a file and has more than 1000000 bytes, the limit that QUERN_SPOOL_LIMIT sets
! hint: QUERN_SPOOL_LIMIT=SIZE sets another limit; a file has none
? 5
$ export TMPDIR=$PWD/tmp QUERN_SPOOL_LIMIT=1M; mkfifo pipe; yes > pipe & quantize net.onnx --ranges pipe --type i8 -o a.qn
! quantize: pipe: is not a file and has more than 1000000 bytes, the limit that QUERN_SPOOL_LIMIT sets
! hint: QUERN_SPOOL_LIMIT=SIZE sets another limit; a file has none
? 5
$ QUERN_SPOOL_LIMIT=1M model-info <net.mlir | sed -n 1p; cat net.mlir | QUERN_SPOOL_LIMIT=100 model-info | sed -n 1p
> inputs      x  float32[2]
> inputs      x  float32[2]
$ cat net.mlir | QUERN_SPOOL_LIMIT=many model-info
! model-info: QUERN_SPOOL_LIMIT: got "many", need a number of bytes, as 512M or 8G (k, M, G, T: powers of 1000)
? 2
$ ls tmp

A member of a folder is a file, whatever the folder says.
$ mkdir -p saved/variables pack/metadata; mkfifo saved/saved_model.pb; timeout 5 model-info saved
! model-info: saved: "saved_model.pb" is not a file
? 3
$ rm saved/saved_model.pb; ln -s /dev/zero saved/saved_model.pb; timeout 5 model-info saved
! model-info: saved: "saved_model.pb" leaves the folder of the model through a link
! hint: --follow-links, or QUERN_FOLLOW_LINKS=1, follows it
? 3
$ timeout 5 model-info saved --follow-links
! model-info: saved: "saved_model.pb" is not a file
? 3
$ mkfifo pack/metadata/MANIFEST; timeout 5 onert_run pack
> Package Filename pack
! onert_run: pack: "metadata/MANIFEST" is not a file
? 3
$ rm pack/metadata/MANIFEST; echo '{"models": ["net.mlir"]}' > pack/metadata/MANIFEST; mkfifo pack/net.mlir; timeout 5 onert_run pack
> Package Filename pack
! onert_run: pack/metadata/MANIFEST: "net.mlir" is not a file
? 3
$ echo '{"extends": "base.json"}' > target.json; mkfifo base.json; timeout 5 place net.onnx --target ./target.json
! place: ./target.json: "base.json" is not a file
? 3

A pipe as samples is read once, whatever is asked of it; HDF5 needs a file.
$ printf '\0\0\200\077\0\0\0\300' > x.raw; mkfifo in list.fifo; cat x.raw > in & echo x.raw > list.fifo & timeout 20 run net.mlir --input x=in -o out && timeout 20 run net.mlir --input-list list.fifo -o out2 && od -An -tx1 out/Result_0/y.raw && diff -r out out2
>  00 00 80 3f 00 00 00 00
$ mkfifo h5; printf '\211HDF\r\n\032\n1234' > h5 & timeout 20 run net.mlir --input x=h5 -o out
! run: h5: is a pipe, and HDF5 is read here and there: need a file
? 3
