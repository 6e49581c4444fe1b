Broken samples: each is one clear line, the right exit code, and no result.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"; cat > try.sh <<'END'
+ try() { run $EXAMPLES/digits/digits.onnx "$@" -o out; echo $?; }
+ END
$ . ./try.sh; for line in image:=nosuch.raw image:=s.bin:u8[1,8,9] 's.bin s.bin' imge:=s.bin 'image:=s.bin image:=s.bin' image:=. '"s.bin'; do echo "$line" > list; try --input-list list; done
> 5
> 3
> 3
> 3
> 3
> 3
> 3
! run: list: line 1: nosuch.raw: No such file or directory
! run: list: line 1: s.bin: got 1024 bytes, need a multiple of 72 (rows of uint8[1,8,9])
! run: list: line 1: has 2 files, the model takes 1
! run: list: line 1: the model has no input "imge" (did you mean "image"?)
! hint: its inputs: image (float32[batch,1,8,8])
! run: list: line 1: input "image" twice
! run: list: line 1: .: is a folder without pictures
! run: list: line 1: a quote is not closed
$ . ./try.sh; head -c 250 s.bin > short.raw; echo short.raw > list; try --input-list list; : > list; try --input-list list; try --input-list nosuch
> 3
> 3
> 5
! run: list: line 1: short.raw: got 250 bytes, which fit no float32[batch,1,8,8] of input "image"
! hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
! run: list: has no samples
! run: nosuch: No such file or directory
$ . ./try.sh; for rows in 'u9[1,8,8]' 'u8[1,8,9]' 'u8[1,8,8' 'u8[1,8,-8]' 'u8[]' 'u8[64]' 'u8[1,8,8]/0' 'u8[1,8,8]*nan' 'u8[1,8,8]*x' 'u8[1,8,8]@0,1' 'u8[99999999999,99999999999]'; do try --input "image=s.bin:$rows"; done
> 2
> 3
> 2
> 2
> 3
> 3
> 2
> 2
> 2
> 2
> 3
! run: s.bin:u9[1,8,8]: unknown element type "u9"
! run: s.bin: got 1024 bytes, need a multiple of 72 (rows of uint8[1,8,9])
! run: "u8[1,8,8": ']' is missing
! run: "u8[1,8,-8]": -8 is not a dimension of a row
! run: s.bin:u8[]: array is [], need float32[batch,1,8,8]
! run: s.bin:u8[64]: array is [64], need float32[batch,1,8,8]
! run: "u8[1,8,8]/0": /0 gives no finite numbers
! run: "u8[1,8,8]*nan": *nan gives no finite numbers
! run: "u8[1,8,8]*x": need a number at "x"
! run: "u8[1,8,8]@0,1": @[0,1] does not fit rows of [1,8,8]
! run: "u8[99999999999,99999999999]": shape [99999999999,99999999999] has more than 2^63 elements
$ . ./try.sh; I='image=s.bin:u8[1,8,8]'; try --input "imag=s.bin:u8[1,8,8]"; try --input 's.bin:u8(1,8,8)'; try --input "$I" --input "$I"; try --input "$I" --random 1; try --input "$I" --skip-rows 16; try --input "$I" --skip-rows 10 --rows 7; try
> 2
> 2
> 3
> 2
> 2
> 2
> 2
! run: the model has no input "imag" (did you mean "image"?)
! hint: its inputs: image (float32[batch,1,8,8])
! run: s.bin:u8(1,8,8): the dims of rows stand in square brackets
! run: input "image" twice
! run: give only one of --input-list, --input and --random
! run: --skip-rows 16: there are only 16 samples
! run: --rows 7: only 6 samples are left after --skip-rows 10
! run: no samples
! hint: give --input-list, --input or --random

Arrays that numpy would not write either.
$ cat > make.py <<'END'
+ import struct, zipfile
+ def npy(shape, data, descr='<f4'):
+     h = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).encode()
+     h += b' ' * ((64 - (10 + len(h) + 1) % 64) % 64) + b'\n'
+     return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(h)) + h + data
+ def put(name, data): open(name, 'wb').write(data)
+ ok = npy((1, 1, 8, 8), bytes(256))
+ put('ok.npy', ok), put('cut.npy', ok[:200]), put('head.npy', ok[:20]), put('huge.npy', npy((1 << 62, 1 << 62, 4), bytes(256)))
+ put('shape.npy', npy((1, 1, 4, 8), bytes(128))), put('object.npy', npy((1, 1, 8, 8), bytes(256), '|O')), put('minus.npy', npy((-1, 1, 8, 8), bytes(256)))
+ for name, data in (('ok', ok), ('bomb', npy((1, 1, 8, 8), bytes(64 << 20)))):
+     with zipfile.ZipFile(name + '.npz', 'w', zipfile.ZIP_DEFLATED) as f: f.writestr('image.npy', data)
+ b = bytearray(open('ok.npz', 'rb').read()); put('cut.npz', b[:-30]); b[60] ^= 255; put('flip.npz', b)
+ END
$ python3 make.py; . ./try.sh; for f in cut head huge shape object minus; do try --input image=$f.npy; done
> 3
> 3
> 3
> 3
> 4
> 3
! run: cut.npy: npy array of float32[1,1,8,8] needs 256 bytes, got 72
! run: head.npy: npy header is cut short
! run: huge.npy: shape [4611686018427387904,4611686018427387904,4] has more than 2^63 elements
! run: shape.npy: array is [1,1,4,8], need float32[batch,1,8,8]
! run: object.npy: elements are of type "|O", which is not read
! hint: numbers, true and false are: <f4, |u1, |b1 and the like
! run: minus.npy: npy header has a bad shape at byte 51
$ . ./try.sh; for f in cut flip bomb; do try --input image=$f.npz; done
> 3
> 3
> 3
! run: cut.npz: not a ZIP archive
! run: flip.npz: array "image": checksum differs: the file is damaged
! run: bomb.npz: array "image": ZIP member claims 67108992 bytes, its array [1,1,8,8] takes 384
$ ls out
! ls: cannot access 'out': No such file or directory
? 2
$ run $EXAMPLES/digits/digits.onnx --input image=ok.npz -o a && run $EXAMPLES/digits/digits.onnx --input image=ok.npy -o b && diff -r a b && echo same
> same

Labels.
$ . ./try.sh; I='image=s.bin:u8[1,8,8]'; echo class > l.csv; try --input "$I" --labels l.csv; (echo label; seq 0 9) > l.csv; try --input "$I" --labels l.csv; (echo label; seq 1 16) > l.csv
+ try --input "$I" --labels l.csv; try --input "$I" --labels l.csv:kind; (echo label; echo x) > l.csv; try --input "$I" --labels l.csv; try --input "$I" --labels nosuch.csv
> 3
> 3
> 3
> 3
> 3
> 5
! run: l.csv: has no column "label"
! run: l.csv: has 10 labels for 16 samples
! run: l.csv: label 10 of sample 9 is not a class of an output with 10
! run: l.csv: has no column "kind"
! run: l.csv: line 2: label "x" is not a class number
! run: nosuch.csv: No such file or directory
