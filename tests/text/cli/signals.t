A signal leaves nothing: here the compiler of a model library, which has begun to write, sends it.

$ cat >stop <<'END'
+ #!/bin/sh
+ echo half >"$TMPDIR"/.quern-*/half
+ ls -A "$TMPDIR" | wc -l >>"$HERE/seen"
+ kill -$SIGNAL $PPID
+ exec sleep 20
+ END
$ chmod +x stop; mkdir tmp; cat >try <<'END'
+ export SIGNAL=$1 HERE=$PWD TMPDIR=$PWD/tmp
+ codegen $EXAMPLES/digits/digits.onnx -p cpp --lib --cxx "$PWD/stop" -o m
+ echo $?
+ ls -A tmp m
+ END
$ for signal in INT TERM HUP; do . ./try $signal; done 2>/dev/null
> 130
> m:
> digits.bin
> digits.cpp
> digits_net.json
> quern_builder.h
>
> tmp:
> 143
> m:
> digits.bin
> digits.cpp
> digits_net.json
> quern_builder.h
>
> tmp:
> 129
> m:
> digits.bin
> digits.cpp
> digits_net.json
> quern_builder.h
>
> tmp:
$ cat seen
> 1
> 1
> 1

Who is told to ignore it goes on.
$ (trap '' HUP; printf '#!/bin/sh\nkill -HUP $PPID\nexec c++ "$@"\n' >stop; . ./try HUP)
> 0
> m:
> digits.bin
> digits.cpp
> digits_net.json
> libdigits.so
> quern_builder.h
>
> tmp:
