Files of other kinds are named, where their bytes would pass for numbers or for a model.

$ echo '%y = "onnx.Neg"(%x) : (tensor<?xi64>) -> tensor<?xi64>' >net.mlir
$ python3 -c "
+ for name, head in {'jpg': b'\xff\xd8\xff\xe0', 'png': b'\x89PNG\r\n\x1a\n', 'wav': b'RIFF\0\0\0\0WAVE', 'gz': b'\x1f\x8b\x08', 'txt': b'1 5 7 9\n'}.items():
+     open('x.' + name, 'wb').write(head + bytes(64 - len(head)) if name != 'txt' else head)"
$ for kind in jpg png wav gz txt; do run net.mlir --input x=x.$kind; done
! run: x.jpg: pictures do not fit input "x" (int64[?]): need 2 to 4 dims
! run: x.png: pictures do not fit input "x" (int64[?]): need 2 to 4 dims
! run: x.wav: WAV: Error in WAV file. No 'data' chunk marker.
! run: x.gz: is a gzip file, which has to be unpacked first
! run: x.txt: is text, need int64 numbers as bytes
! hint: numbers separated by commas, one sample per line, are read from a file that ends in .csv
? 3
$ model-info x.gz
! model-info: x.gz: is a gzip file, which has to be unpacked first
? 3
$ run net.mlir --input y=x.txt
! run: the model has no input "y" (did you mean "x"?)
! hint: its inputs: x (int64[?])
? 2
