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
Also where a model or JSON is wanted; other kinds that users have in their folders.
$ printf 'BM\0\1\0\0\0\0\0\0' >a.bmp; printf 'PK\3\4......' >a.pt; printf '\211HDF\r\n\032\n' >a.h5; printf '\200\4\225....' >a.pkl; printf 'version https://git-lfs.github.com/spec/v1\n' >lfs.onnx; echo '{"a": 1}' >a.json; printf '\223NUMPY...' >a.npy; echo '<!DOCTYPE html>' >page
$ gzip -c net.mlir >zipped.mlir; for file in zipped.mlir a.bmp a.pt a.h5 a.pkl lfs.onnx a.json a.npy page x.jpg; do model-info $file; done
! model-info: zipped.mlir: is a gzip file, which has to be unpacked first
! model-info: a.bmp: is a BMP image, which can be a sample only
! model-info: a.pt: is a zip archive, which has to be unpacked first
! model-info: a.h5: is an HDF5 file, which can be a sample only
! model-info: a.pkl: is a pickle of Python, whose model has to be exported to ONNX first
! model-info: lfs.onnx: is a pointer of Git LFS, whose file has to be fetched first (git lfs pull)
! model-info: a.json: is JSON, which is not a model
! model-info: a.npy: is a NumPy array, which is read as a sample if its name ends in .npy
! model-info: page: is an HTML page, which is not read
! model-info: x.jpg: is a JPEG image, which can be a sample only
? 3
$ for file in x.gz a.pt page lfs.onnx; do quantize net.mlir --ranges $file -o q.qn; done
! quantize: x.gz: not JSON: is a gzip file, which has to be unpacked first
! quantize: a.pt: not JSON: is a zip archive, which has to be unpacked first
! quantize: page: not JSON: is an HTML page, which is not read
! quantize: lfs.onnx: not JSON: is a pointer of Git LFS, whose file has to be fetched first (git lfs pull)
? 3
$ place net.mlir --target cpu --load-placement x.png
! place: x.png: not JSON: is a PNG image, which can be a sample only
? 3
$ run net.mlir --input y=x.txt
! run: the model has no input "y" (did you mean "x"?)
! hint: its inputs: x (int64[?])
? 2
