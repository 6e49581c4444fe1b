Generated C as libraries of build systems, each with a program that knows the outputs.

$ minmax-collect $EXAMPLES/digits/digits.onnx --random 1 --rows 4 -q -o r.json && quantize $EXAMPLES/digits/digits.onnx --ranges r.json --type i8 -q -o d8.tflite
$ for kind in cmake arduino zephyr cmsis-pack; do codegen d8.tflite -q -p c --package $kind -o $kind && (cd $kind && find . -type f | LC_ALL=C sort); done
> ./CMakeLists.txt
> ./examples/d8_check.c
> ./examples/d8_check.h
> ./examples/main.c
> ./include/d8.h
> ./src/d8.c
> ./examples/d8/d8.ino
> ./examples/d8/d8_check.c
> ./examples/d8/d8_check.h
> ./library.properties
> ./src/d8.c
> ./src/d8.h
> ./CMakeLists.txt
> ./Kconfig
> ./include/d8.h
> ./samples/d8/CMakeLists.txt
> ./samples/d8/prj.conf
> ./samples/d8/sample.yaml
> ./samples/d8/src/d8_check.c
> ./samples/d8/src/d8_check.h
> ./samples/d8/src/main.c
> ./src/d8.c
> ./zephyr/module.yml
> ./examples/d8_check.c
> ./examples/d8_check.h
> ./examples/main.c
> ./include/d8.h
> ./quern.d8.pdsc
> ./src/d8.c

CMake configures, builds, tests and installs it, and another project finds it. A float model needs the math library.

$ cmake -S cmake -B build-d8 > log && cmake --build build-d8 >> log && (cd build-d8 && ctest >> log) && build-d8/d8_example && cmake --install build-d8 --prefix $PWD/prefix >> log && (cd prefix && find . -name 'd8*.h' -o -name '*-config.cmake')
> d8: outputs are as expected
> ./lib/cmake/d8/d8-config.cmake
> ./include/d8.h
$ mkdir user && cat > user/CMakeLists.txt <<'END'
+ cmake_minimum_required(VERSION 3.13)
+ project(user C)
+ find_package(d8 REQUIRED)
+ add_executable(user main.c)
+ target_link_libraries(user PRIVATE d8::d8)
+ END
$ printf '#include <d8.h>\nint main(void)\n{\n    static int8_t in[D8_INPUT_0_COUNT], out[D8_OUTPUT_0_COUNT];\n    d8_run(in, out);\n    return 0;\n}\n' > user/main.c
$ cmake -S user -B build-user -DCMAKE_PREFIX_PATH=$PWD/prefix > log && cmake --build build-user >> log && build-user/user
$ cat > gelu.mlir <<'END'
+ %y = "onnx.Gelu"(%x) : (tensor<3x5xf32>) -> tensor<3x5xf32>
+ END
$ codegen gelu.mlir -q -p c --package cmake -o gelu && cmake -S gelu -B build-gelu > log && cmake --build build-gelu >> log && build-gelu/gelu_example && grep -c 'PUBLIC m' gelu/CMakeLists.txt
> gelu: outputs are as expected
> 1

The program looks at the outputs: those of another net of the same shapes are wrong.

$ cd cmake && sed 's/_zero = -128, .y_low/_zero = -127, .y_low/' src/d8.c > other.c && cc -std=c99 -Iinclude other.c $(find examples -name '*.c') -o other && ./other
> d8: 1 outputs differ
? 1

The other packages' sources compile without warnings, and run; their descriptions have what is asked for.

$ for kind in zephyr cmsis-pack; do cc -std=c99 -pedantic -Wall -Wextra -Werror -I$kind/include $kind/src/d8.c $(find $kind -name main.c -o -name d8_check.c) -o $kind.out && ./$kind.out; done
> d8: outputs are as expected
> d8: outputs are as expected
$ cat > Arduino.h <<'END'
+ #include <cstdio>
+ struct Port { void begin(long) {} explicit operator bool() const { return true; } void println(const char *text) { std::puts(text); } };
+ static Port Serial;
+ inline unsigned long millis() { return 0; }
+ END
$ printf '#include "Arduino.h"\n#include "arduino/examples/d8/d8.ino"\nint main() { setup(); loop(); }\n' > sketch.cpp
$ cc -std=c99 -Wall -Wextra -Werror -Iarduino/src -c arduino/src/d8.c arduino/examples/d8/d8_check.c && c++ -Wall -Wextra -Werror -I. -Iarduino/src -Iarduino/examples/d8 sketch.cpp d8.o d8_check.o -o sketch && ./sketch
> d8: outputs are as expected
$ cat > described.py <<'END'
+ import pathlib, re, xml.etree.ElementTree
+ lines = [line.split("=", 1) for line in open("arduino/library.properties").read().splitlines()]
+ print([key for key, value in lines if value])
+ root = xml.etree.ElementTree.parse("cmsis-pack/quern.d8.pdsc").getroot()
+ print(root.tag, [child.tag for child in root], [file.get("name") for file in root.iter("file") if not pathlib.Path("cmsis-pack", file.get("name")).exists()])
+ module = open("zephyr/zephyr/module.yml").read()
+ print(re.findall(r"^ *([a-z]+):", module, re.M), pathlib.Path("zephyr/Kconfig").exists())
+ symbols = [re.findall(r"QUERN_\w+", open(f"zephyr/{file}").read())[0] for file in ("Kconfig", "CMakeLists.txt", "samples/d8/prj.conf")]
+ print(symbols)
+ END
$ python3 described.py
> ['name', 'version', 'author', 'maintainer', 'sentence', 'paragraph', 'category', 'architectures', 'includes']
> package ['vendor', 'name', 'description', 'url', 'releases', 'components'] []
> ['name', 'build', 'cmake', 'kconfig', 'samples'] True
> ['QUERN_D8', 'QUERN_D8', 'QUERN_D8']

Names that CMake keeps for itself, and inputs and outputs of every kind.

$ cp gelu.mlir test.mlir && codegen test.mlir -q -p c --package cmake -o test && ls test/src
> test_model.c
$ cat > kinds.mlir <<'END'
+ func.func @kinds(%a: tensor<2x3xf16>, %b: tensor<4xi64>, %c: tensor<4xi1>, %d: tensor<2xf64>, %e: tensor<0xf32>) -> (tensor<2x3xf16>, tensor<4xi64>, tensor<4xi1>, tensor<2xf64>, tensor<0xf32>) {
+   %p = "onnx.Neg"(%a) : (tensor<2x3xf16>) -> tensor<2x3xf16>
+   %q = "onnx.Neg"(%b) : (tensor<4xi64>) -> tensor<4xi64>
+   %r = "onnx.Not"(%c) : (tensor<4xi1>) -> tensor<4xi1>
+   %s = "onnx.Abs"(%d) : (tensor<2xf64>) -> tensor<2xf64>
+   %t = "onnx.Neg"(%e) : (tensor<0xf32>) -> tensor<0xf32>
+   return %p, %q, %r, %s, %t : tensor<2x3xf16>, tensor<4xi64>, tensor<4xi1>, tensor<2xf64>, tensor<0xf32>
+ }
+ END
$ codegen kinds.mlir -q -p c --package cmsis-pack -o kinds && cc -std=c99 -pedantic -Wall -Wextra -Werror -Ikinds/include kinds/src/*.c kinds/examples/*.c -o kinds.out && ./kinds.out
> kinds: outputs are as expected

Whole or not at all.

$ codegen d8.tflite -q -p c --package platformio -o no; ls no
! codegen: --package: unknown "platformio"
! hint: one of cmake, arduino, zephyr, cmsis-pack
! ls: cannot access 'no': No such file or directory
? 2
$ codegen d8.tflite -q -p c --option package=zephir -o no; ls no
! codegen: d8.tflite: there is no package "zephir" (did you mean "zephyr"?)
! hint: one of cmake, arduino, zephyr, cmsis-pack
! ls: cannot access 'no': No such file or directory
? 2
$ mkdir -p partly/src/d8.c && codegen d8.tflite -q -p c --package cmake -o partly; find partly | LC_ALL=C sort
> partly
> partly/src
> partly/src/d8.c
! codegen: d8.tflite: partly/src/d8.c: is a folder, need a file name
$ codegen d8.tflite -p tflite --package cmake -o x.tflite
! codegen: --package is for the generator c, not for tflite
? 2
