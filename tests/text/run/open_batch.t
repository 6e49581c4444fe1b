The rows of an array are samples where the first dim of the input is open, as they are where it is a fixed 1.
$ cat >net.sh <<'END'
+ cat <<NET
+ func.func @net(%x: tensor<$1x2xf32>) -> tensor<$1x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.0], [0.0, 0.5]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<$1x2xf32>, tensor<2x2xf32>) -> tensor<$1x2xf32>
+   return %y : tensor<$1x2xf32>
+ }
+ NET
+ END
$ bash net.sh '?' >open.mlir; bash net.sh 1 >one.mlir; cat >npy.py <<'END'
+ import array, sys
+ rows = array.array('f', map(float, sys.argv[2:]))
+ head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows) // 2}, 2), }}"
+ open(sys.argv[1], 'wb').write(b'\x93NUMPY\1\0' + (118).to_bytes(2, 'little') + head.ljust(117).encode() + b'\n' + rows.tobytes())
+ END
$ python3 npy.py x.npy 1 0  0 1  3 1  1 3; printf 'label\n0\n1\n0\n0\n' >labels.csv
$ run one.mlir --input x.npy --labels labels.csv -o one | grep top; run open.mlir --input x.npy --labels labels.csv -o open | grep top && model-diff one open | sed 1d | cut -c1-11
> top-1    75.00 % (3/4)
> top-5    100.00 % (4/4)
> top-1    75.00 % (3/4)
> top-5    100.00 % (4/4)
>     equal  
$ minmax-collect open.mlir --input x.npy | grep samples; check open.mlir --ranges <(minmax-collect open.mlir --input x.npy) --input x.npy --labels labels.csv | sed -n 1p
> "samples":4,
> i8: top-1 75.00 % (float 75.00 %), agreement 100.00 % (4 of 4)

Run alone takes the array as it is, and a batch of four is one sample where the dims say so.
$ run open.mlir --input x.npy -o batch && ls batch; minmax-collect open.mlir --shape x=4,2 --input x.npy | grep samples
> Result_0
> "samples":1,

As many labels as samples are needed: of all, or of those that are taken.
$ printf 'label\n0\n' >few.csv; run open.mlir --input x.npy --labels few.csv; check open.mlir --ranges <(minmax-collect open.mlir --input x.npy) --input x.npy --labels few.csv
! run: few.csv: has 1 label for 4 samples
! check: open.mlir: few.csv: has 1 label for 4 samples
? 3
$ for n in 0 0 0 0 0; do echo 0; done >>few.csv; run open.mlir --input x.npy --labels few.csv; run open.mlir --input x.npy --rows 2 --labels few.csv
! run: few.csv: has 6 labels for 4 samples
! run: few.csv: has 6 labels for 4 samples
? 3
$ printf 'label\n0\n1\n' >few.csv; run open.mlir --input x.npy --rows 2 --labels few.csv | grep top; run open.mlir --input x.npy --rows 2 --labels labels.csv | grep top; run open.mlir --input x.npy --skip-rows 3 --labels labels.csv | grep top
> top-1    100.00 % (2/2)
> top-5    100.00 % (2/2)
> top-1    100.00 % (2/2)
> top-5    100.00 % (2/2)
> top-1    0.00 % (0/1)
> top-5    100.00 % (1/1)

No rows are no samples.
$ python3 npy.py none.npy; minmax-collect open.mlir --input none.npy
! minmax-collect: there are no samples
? 3
