What is asked of a back end is a check; of graphs the user may choose operators.

$ echo $(backend-test --list-checks | cut -d' ' -f1)
> table create devices claims target compile blobs files values rounding shapes hostile partitions links misuse orders threads memory
$ backend-test ref --op Relu,Conv --cases 1 --skip orders,memory
> ok      table       ref 1: the reference, integer or float, on this machine's processor
> ok      table       other versions
> ok      create      20 one after the other, 20 at once
> ok      create      no options
> ok      create      unknown option
> ok      devices     ref
> ok      claims      2 of 2 operators: Conv, Relu
> ok      compile     twice and by two instances
> ok      blobs       of each 64 cut off and 64 with another byte
> ok      files       no load_file: the host reads them
> ok      values      Conv float: 10 graphs
> ok      values      Conv int: 20 graphs
> ok      values      Conv+Clip int: 20 graphs
> ok      values      Conv+Relu int: 20 graphs
> ok      values      Relu float: 2 graphs
> ok      values      Relu int: 4 graphs
> ok      rounding    Conv int: 18 graphs
> ok      rounding    Conv+Clip int: 19 graphs
> ok      rounding    Conv+Relu int: 17 graphs
> ok      rounding    Relu int: 4 graphs
> ok      shapes      Relu float: 2 graphs
> ok      hostile     Conv float: 10 graphs
> ok      hostile     Conv int: 20 graphs
> ok      hostile     Conv+Clip int: 20 graphs
> ok      hostile     Conv+Relu int: 20 graphs
> ok      hostile     Relu float: 2 graphs
> ok      hostile     Relu int: 4 graphs
> ok      partitions  graph 0 float: a partition of 2 nodes
> ok      partitions  graph 1 float: a partition of 2 nodes
> ok      partitions  graph 2 float: a partition of 2 nodes
> ok      partitions  graph 3 float: a partition of 4 nodes
> ok      partitions  graph 0 int: a partition of 5 nodes
> ok      partitions  graph 1 int: a partition of 5 nodes
> ok      partitions  graph 2 int: a partition of 2 nodes
> ok      partitions  graph 3 int: a partition of 2 nodes
> ok      misuse      11 mistakes
> ok      threads     4 sessions, then 4 instances at once
> 37 checks, 0 failed
$ backend-test
! backend-test: need a library, or the name of a back end
! hint: quern backend-test ./libquern_NAME.so
? 2
$ backend-test ./missing.so
! backend-test: ./missing.so: there is no such library
? 5
$ backend-test nobody
! backend-test: there is no back end "nobody"
! hint: libquern_nobody.so is looked for in [...]
? 4
$ backend-test ref --skip valeus
! backend-test: --skip: there is no check "valeus" (did you mean "values"?)
? 2
$ backend-test ref --op Rleu
! backend-test: --op: there is no operator "Rleu" that can be tried
? 2
$ backend-test --show 'Relu float 0' >relu.mlir; run relu.mlir --random 1 --backend ref -o made && ls made/Result_0
> v.raw
$ backend-test --show 'Relu int 0' | grep -o 'storage = i8' | wc -l
> 2
$ backend-test --show 'Relu 0'
! backend-test: "Relu 0" names no graph: need OPERATOR float|int NUMBER, or large
? 2
$ backend-test --show 'If float 0'
! backend-test: --show: there is no graph "If float 0" with this --seed
? 4
$ backend-test ref --backend-options 7
! backend-test: options 7: need a JSON object
! hint: {"device": "npu1"}
? 2
$ backend-test ref --cases 0
! backend-test: --cases: got "0", need an integer of at least 1
? 2
$ printf 'no library' >libquern_text.so; backend-test ./libquern_text.so
> FAILED  table       cannot be loaded: ./libquern_text.so: file too short
> 1 checks, 1 failed
? 4
$ backend-test ref --skip claims,orders
! backend-test: the check compile needs what the check claims finds, which is left out
? 2
