What a target's file may say comes from the rows that read it.

$ place --list-checks | grep '^[a-z]'
> keys of a target
> keys of a memory
> keys of a device
> keys of a list of operators
> keys of a constraint
> keys of a cost
> keys of a link
> checks
$ place --list-checks | grep -A2 'keys of a memory'
> keys of a memory
>   name                      1 to 64 of a-z 0-9 _ -; needed
>   bytes                     its size, which what partitions need is compared with (default: unbounded)
$ place --list-checks | grep kernel_height
>   kernel_height             kernel height: height of a window
$ place --list-checks --json | grep -A4 '"a link"'
>     "a link": {
>       "bytes_per_second": "rate beyond that (default: unbounded)",
>       "from": "a device; needed",
>       "seconds": "of each transfer of a value",
>       "to": "a device; needed"

The target of quern-target(5) as it stands there.

$ sed -n '/^{"kind/,/^}/p' $EXAMPLES/../man/quern-target.5 > mine.json; place --target ./mine.json --list-ops
> mine: the host and an engine for int8 convolutions
> costs: estimate: the data sheet
>
> device cpu, back end cpu
>   every operator
>
> device npu, simulated on ref
>   every operator needs
>     storage: int8
>   MaxPool, Relu
>   Conv
>     constant weight: yes
>     kernel height: at most 7 (the line buffer has 7 rows)
>     kernel width: at most 7, where padding is valid
$ place $EXAMPLES/digits/digits.onnx --target ./mine.json --as i8 --heuristic QualifyingOps --save-placement - -q | grep -A1 npu | grep -o 'onnx\.[A-Za-z]*'
> onnx.Conv
> onnx.MaxPool
> onnx.Conv
> onnx.Relu

An activation that the device has behind its convolutions alone: it goes along in their integer units, and nowhere else.

$ sed 's/{"ops": \["Conv"\],/{"ops": ["Conv", "Softmax"], "fused": ["Relu"],/; s/"Relu", "MaxPool"/"MaxPool"/' mine.json > fused.json; place --target ./fused.json --list-ops | grep -B1 unit
>   Conv, Softmax
>     in its integer unit: Relu
$ place $EXAMPLES/digits/digits.onnx --target ./fused.json --as i8 --heuristic QualifyingOps --save-placement - -q | grep -A1 npu | grep -o 'onnx\.[A-Za-z]*'
> onnx.Conv
> onnx.MaxPool
> onnx.Conv
> onnx.Relu

A key that is wrong is answered by the nearest of them, wherever it stands.

$ sed 's/"bytes": /"byte": /' mine.json > wrong.json; place --target ./wrong.json --list-ops
! place: ./wrong.json: memories[1].byte: is not a key of a memory (did you mean "bytes"?)
? 3
$ sed 's/"why": /"wy": /' mine.json > wrong.json; place --target ./wrong.json --list-ops
! place: ./wrong.json: devices[1].ops[0].constraints[1].wy: is not a key of a constraint (did you mean "why"?)
? 3
$ sed 's/"when": \[{"check": "padding", "is"/"when": [{"check": "padding", "except"/' mine.json > wrong.json; place --target ./wrong.json --list-ops
! place: ./wrong.json: devices[1].ops[0].constraints[2].when[0].except: is not a key of a condition
? 3
$ sed 's/"from": "npu", //' mine.json > wrong.json; place --target ./wrong.json --list-ops
! place: ./wrong.json: links[1]: "from" is missing
? 3
