Products go where their name leads: to standard output under any name, through links, into devices.

$ cat >net.mlir <<'END'
+ %y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
+ END
$ model-convert net.mlir -f text -o want
$ model-convert net.mlir -f text -o /dev/stdout | cmp - want
$ model-convert net.mlir -f text -o /dev/fd/1 | cmp - want
$ model-convert net.mlir -f text -o /proc/self/fd/1 | cmp - want
$ model-convert net.mlir -f text -o /dev/fd/7 7>&1 | cmp - want
$ model-convert net.mlir -f text -o /dev/stdout >file && cmp file want
$ ln -s /dev/stdout link; model-convert net.mlir -f text -o link | cmp - want; test -L link
$ model-convert net.mlir -o /dev/stdout | model-info | sed -n 1p
> inputs      x  float32[2]
$ run net.mlir --random 1 --format npz -o /dev/stdout | head -c 2; echo
> PK
$ model-convert net.mlir -o /dev/null && test -c /dev/null
$ mkfifo pipe; (cat pipe >read) & model-convert net.mlir -f text -o pipe; wait; cmp read want; test -p pipe
$ model-convert net.mlir -f text -o /dev/fd/77
! model-convert: /dev/fd/77: no such descriptor was given to this program
? 5
$ model-convert net.mlir -f text -o /dev/full
! model-convert: /dev/full: cannot write: No space left on device
? 5
$ model-convert net.mlir --external-data -f text -o /dev/stdout
! model-convert: weights beside the text need a file name, not standard output
! hint: give -o FILE
? 2

Links are written through, also those that lead to nothing yet; modes stay, new files get those of the umask.
$ mkdir far && touch far/there && ln -s far/there old && ln -s far/new new && ln -s old older
$ model-convert net.mlir -f text -o older && model-convert net.mlir -f text -o new && cmp far/there want && cmp far/new want && find . -type l | sort | xargs
> ./link ./new ./old ./older
$ ln -s round around; ln -s around round; model-convert net.mlir -f text -o round
! model-convert: round: too many symbolic links
? 5
$ touch secret && chmod 600 secret && model-convert net.mlir -f text -o secret && stat -c %a secret
> 600
$ touch tool && chmod 755 tool && model-convert net.mlir -f text -o tool && stat -c %a tool
> 755
$ umask 027; model-convert net.mlir -f text -o fresh && stat -c %a fresh
> 640
$ mkdir dir && model-convert net.mlir -f text -o dir
! model-convert: dir: is a folder, need a file name
? 5
$ run net.mlir --random 1 -o results && ls -A results/Result_0 && ln -s ../../far/y results/link && mv results/link results/Result_0/y.raw && run net.mlir --random 1 -o results && stat -c %s far/y
> y.raw
> 8
$ find . -name '.quern*'

A terminal gets text, never bytes.
$ script -qec 'model-convert net.mlir -f text' log | tr -d '\r' | cmp - want
$ script -qec 'model-convert net.mlir' log | tr -d '\r'
> model-convert: will not write binary data to a terminal
> hint: give -o FILE, or pipe the output
? 2
$ script -qec 'model-convert net.mlir -f onnx -o /dev/tty; run net.mlir --random 1 --format npz; run net.mlir --random 1 --format stream; minmax-collect net.mlir --random 1 -q --embed; quantize net.mlir --type wo-i8-sym; place net.mlir --target cpu; codegen net.mlir -p context -o /dev/stdout' log | tr -d '\r' | sort | uniq -c | sed 's/^ *//'
> 1 codegen: net.mlir: will not write binary data to a terminal
> 7 hint: give -o FILE, or pipe the output
> 1 minmax-collect: will not write binary data to a terminal
> 1 model-convert: will not write binary data to a terminal
> 1 place: will not write binary data to a terminal
> 1 quantize: will not write binary data to a terminal
> 2 run: will not write binary data to a terminal
? 2
