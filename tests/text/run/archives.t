Rows of an archive are unpacked one after the other; they are those of the same array alone, in either order of bytes and of dims.

$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
+   %y = "onnx.Neg"(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32>
+   return %y : tensor<1x3xf32>
+ }
+ END
$ cat >arrays.py <<'END'
+ import struct, zipfile
+ rows = [[r * 3 + c for c in range(3)] for r in range(500)]
+ def npy(descr, fortran, numbers):
+     text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (500, 3), }}".ljust(117) + "\n"
+     return b"\x93NUMPY\1\0" + struct.pack("<H", 118) + text.encode() + struct.pack(descr[0] + "1500f", *numbers)
+ straight = [item for row in rows for item in row]
+ columns = [row[c] for c in range(3) for row in rows]
+ arrays = {"plain": npy("<f4", False, straight), "big": npy(">f4", False, straight), "columns": npy("<f4", True, columns)}
+ open("plain.npy", "wb").write(arrays["plain"])
+ for method, folder in ((zipfile.ZIP_DEFLATED, "deflated"), (zipfile.ZIP_STORED, "stored")):
+     for name, data in arrays.items():
+         with zipfile.ZipFile(f"{folder}-{name}.npz", "w", method) as archive:
+             archive.writestr("x.npy", data)
+ END
$ python3 arrays.py && run net.mlir --input x=plain.npy -o want && ls want | wc -l
> 500
$ for file in *.npz; do run net.mlir --input x=$file -o got && diff -r want got && echo "$file"; rm -r got; done
> deflated-big.npz
> deflated-columns.npz
> deflated-plain.npz
> stored-big.npz
> stored-columns.npz
> stored-plain.npz
$ run net.mlir --input x=deflated-plain.npz --skip-rows 498 -o got && cmp got/Result_0/y.raw want/Result_498/y.raw && ls got
> Result_0
> Result_1

A checksum that differs is seen when the last row has been read.
$ python3 -c "d = bytearray(open('deflated-plain.npz', 'rb').read()); at = d.rindex(b'PK\1\2') + 16; d[at] ^= 1; open('damaged.npz', 'wb').write(d)"
$ run net.mlir --input x=damaged.npz -o got
! run: damaged.npz: array "x": checksum differs: the file is damaged
? 3
