HDF5 files as samples: written by onert_run, read by every tool that takes samples.

$ cat >net.mlir <<'END'
+ %y = "onnx.Relu"(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32>
+ END
$ cat >two.mlir <<'END'
+ %y = "onnx.Add"(%a, %b) : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
+ END
$ printf '1,-2,3\n' >x.csv; onert_run net.mlir --load x.csv --dump y.h5 >/dev/null && onert_run net.mlir --load y.h5 --dump z.npy >/dev/null && tail -c 12 z.npy | od -An -tf4
> [...]1[...]0[...]3
$ run net.mlir --input y.h5 -o out; run net.mlir --input x=y.h5:/value/0 -o same && cmp out/Result_0/y.raw same/Result_0/y.raw
$ minmax-collect net.mlir --input y.h5 -o ranges.json && model-diff net.mlir net.mlir --input y.h5 --json | grep samples
>   "samples": 1,
$ echo y.h5:/value/0 >list.txt; echo x:=y.h5 >>list.txt; run net.mlir --input-list list.txt --json | grep '"samples"'
>   "samples": 2,

What does not fit is said with the dataset, what it is and what is needed.
$ run net.mlir --input x=y.h5:/value/7
! run: y.h5: has no dataset "value/7" (did you mean "value/0"?)
! hint: its datasets: value/0; y.h5:/value/0 names one
? 3
$ run two.mlir --input a=x.csv --input b=y.h5:/values
! run: y.h5: has no dataset "values" (did you mean "value/0"?)
! hint: its datasets: value/0; y.h5:/value/0 names one
? 3
$ printf '1,2\n' >short.csv; echo '%y = "onnx.Relu"(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>' >small.mlir; onert_run small.mlir --load short.csv --dump short.h5 >/dev/null; run net.mlir --input short.h5
! run: short.h5: dataset "value/0": array is [1,2], need float32[1,3]
? 3
$ onert_run two.mlir --load short.h5 >/dev/null
! onert_run: short.h5: dataset "value/0": array is [1,2], need float32[1,3]
? 3
$ run net.mlir --input x=x.csv:/value/0
! run: x.csv: a dataset is of an HDF5 file, which it is not
? 3
$ run net.mlir --input x=y.h5:resize=3
! run: y.h5: steps are for pictures and WAV files, which it is not: an HDF5 file, which can be a sample only
? 3

A broken file ends nothing but its reader.
$ python3 -c "
+ data = open('y.h5', 'rb').read()
+ open('cut.h5', 'wb').write(data[:100])
+ open('head.h5', 'wb').write(data[:8])
+ open('version.h5', 'wb').write(data[:8] + b'\xff' + data[9:])"
$ for file in cut head version; do run net.mlir --input x=$file.h5; done
! run: cut.h5: HDF5: file: [...]
! run: head.h5: HDF5: file: [...]
! run: version.h5: HDF5: file: [...]
? 3
$ run net.mlir --input x=none.h5
! run: none.h5: No such file or directory
? 5

Shapes come from the file before and after compiling, and only from one.
$ echo '%y = "onnx.Relu"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>' >open.mlir
$ onert_run open.mlir --load y.h5 --shape_prepare h5 --shape_run h5 --dump o.h5 >/dev/null && cmp y.h5 o.h5
$ onert_run open.mlir --shape_run h5
! onert_run: --shape_run h5: shapes are those of --load FILE
? 2
$ onert_run net.mlir --dump none/o.h5 >/dev/null; ls none
! onert_run: none/o.h5: cannot create: No such file or directory
! ls: cannot access 'none': No such file or directory
? 2
