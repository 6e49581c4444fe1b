Lists of inputs as tools of Windows write them: with a byte order mark, in UTF-16, with names in capitals.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
+   %y = "onnx.Relu"(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ mkdir -p data; cat >npy.py <<'END'
+ import array, sys
+ head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
+ open(sys.argv[1], 'wb').write(b'\x93NUMPY\1\0' + (118).to_bytes(2, 'little') + head.ljust(117).encode() + b'\n' + array.array('f', map(float, sys.argv[2:])).tobytes())
+ END
$ python3 npy.py data/A.NPY 1 -2; python3 npy.py data/é😀.npy 3 4; printf 'A.NPY\r\né😀.npy\r\n' >data/plain.txt
$ python3 -c "
+ text = open('data/plain.txt', newline='').read()
+ for name, coding in (('bom', 'utf-8-sig'), ('little', 'utf-16-le'), ('big', 'utf-16-be')):
+     mark = '' if name == 'bom' else '\ufeff'
+     open(f'data/{name}.txt', 'wb').write((mark + text).encode(coding))
+ open('data/cut.txt', 'wb').write(b'\xff\xfea')
+ open('data/half.txt', 'wb').write(b'\xff\xfe\x00\xd8a\x00')"
$ for list in plain bom little big; do run net.mlir --input-list data/$list.txt -o $list && od -An -tf4 $list/Result_*/y.raw | tr -s ' '; done
>  1 0 3 4
>  1 0 3 4
>  1 0 3 4
>  1 0 3 4
$ run net.mlir --input-list data/cut.txt; run net.mlir --input-list data/half.txt
! run: data/cut.txt: is UTF-16 of an odd number of bytes
! run: data/half.txt: is UTF-16 with half a character
? 3

Labels and numbers, too.
$ printf '\xef\xbb\xbflabel\r\n0\r\n1\r\n' >labels.csv; run net.mlir --input-list data/bom.txt --labels labels.csv --json | grep -A4 score
>   "score": {
>     "scored": 2,
>     "top1": 2,
>     "top5": 2
>   },
>   "seconds": {
$ printf '\xef\xbb\xbf5,6\r\n' >x.CSV; run net.mlir --input x.CSV -o csv && od -An -tf4 csv/Result_0/y.raw | tr -s ' '
>  5 6

A colon in the name of a file that is there is a part of the name, in a list as anywhere.
$ cp data/A.NPY data/cam:front=1.npy; cp data/A.NPY 'data/b:u8[1,2].npy'; printf 'cam:front=1.npy\nb:u8[1,2].npy\n' >data/colons.txt; run net.mlir --input-list data/colons.txt -o colons && ls colons
> Result_0
> Result_1
