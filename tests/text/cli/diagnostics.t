What is reported on standard error can be lost, and nothing else: a full disk, a closed descriptor and a reader that has gone change no exit code and no product.

$ printf '%%y = "onnx.Relu"(%%x) : (tensor<2xf32>) -> tensor<2xf32>\n' > net.mlir
$ minmax-collect net.mlir --random 1 -o want.json
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ minmax-collect net.mlir --random 1 -o full.json 2>/dev/full && cmp full.json want.json
$ minmax-collect net.mlir --random 1 -o closed.json 2>&- && cmp closed.json want.json
$ minmax-collect net.mlir --random 1 -o none.json 2>&- >&- <&- && cmp none.json want.json
$ mkfifo pipe; (: <pipe) & exec 3>pipe; wait; minmax-collect net.mlir --random 1 -o broken.json 2>&3; echo $?; exec 3>&-; cmp broken.json want.json
> 0
$ for tool in "place net.mlir --target two-npu -o p.qn" "check net.mlir --ranges want.json --random 1" "codegen net.mlir -v -p c -o c" "model-convert nosuch -o x.qn" "run net.mlir --nosuch" "onert_run nosuch.onnx" quern "quern nosuch" "quern completion" "quern help model-info more"; do for place in "2>/dev/full" "2>&-" "2>&3"; do (: <pipe) & exec 3>pipe; wait; eval "$tool $place" >/dev/null; echo -n "$? "; exec 3>&-; done; echo $tool; done
> 0 0 0 place net.mlir --target two-npu -o p.qn
> 0 0 0 check net.mlir --ranges want.json --random 1
> 0 0 0 codegen net.mlir -v -p c -o c
> 5 5 5 model-convert nosuch -o x.qn
> 2 2 2 run net.mlir --nosuch
> 5 5 5 onert_run nosuch.onnx
> 2 2 2 quern
> 2 2 2 quern nosuch
> 2 2 2 quern completion
> 2 2 2 quern help model-info more

Standard output is where products go: what cannot be written there fails.
$ for words in --version "--version -v" --help help completion\ bash "completion words" "run --version" "help run" "run --help"; do quern $words >/dev/full; echo $?; done
> 5
> 5
> 5
> 5
> 5
> 5
> 5
> 5
> 5
! quern: <stdout>: No space left on device
! quern: <stdout>: No space left on device
! quern: <stdout>: No space left on device
! quern: <stdout>: No space left on device
! quern: <stdout>: No space left on device
! quern: <stdout>: No space left on device
! run: <stdout>: No space left on device
! run: <stdout>: No space left on device
! run: <stdout>: No space left on device
