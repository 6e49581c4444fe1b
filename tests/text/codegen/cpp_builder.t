What a model library may get wrong with the builder is an error that says what.

$ codegen $EXAMPLES/digits/digits.onnx -p cpp --option name=m -o m && c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ m/quern_builder.h
$ cat > made <<'END'
+ cat > made.cpp <<TEXT
+ #include "m/quern_builder.h"
+ using namespace quern_model;
+ static const float two[] = {1, 2};
+ extern "C" int quern_model_compose(const quern_builder* builder, quern_graph* graph) {
+     Graph g(builder, graph);
+     $1
+     return g.ok() ? 0 : 1;
+ }
+ TEXT
+ c++ -std=c++17 -fPIC -shared made.cpp -o made.so && model-convert made.so -f text -o -
+ END
$ bash made 'g.add(Tensor("x", Type("float32", {"n", 2}))); g.add(Tensor("w", Type("float32", {2})).data(two, 8)); g.add(Tensor("y", Type("float32", {"n", 2}))); g.add(Node("Add", "add").in("x").in("w").out("y")); g.interface("net", {"x"}, {"y"});' | grep -c onnx.Add
> 1
$ bash made 'g.add(Tensor("x", Type("floaty", {2})));'
! model-convert: made.so: element type "floaty" is not known
? 3
$ bash made 'g.add(Tensor("w", Type("float32", {3})).data(two, 8));'
! model-convert: made.so: constant "w": a buffer of 8 bytes for 3 elements of float32
? 3
$ bash made 'g.add(Tensor("w", Type("float32", {"n"})).data(two, 8));'
! model-convert: made.so: constant "w" has no fixed shape
? 3
$ bash made 'g.add(Tensor("w", Type("float32", {2})).encoding(Encoding("int8", -128, 127)));'
! model-convert: made.so: an encoding lacks its scale
? 3
$ bash made 'g.add(Tensor("y", Type("float32", {2}))); g.add(Node("Relu", "r").in("x").out("y"));'
! model-convert: made.so: there is no tensor "x"
? 3

A library of another version of the builder refuses by itself.

$ sed -i 's/define QUERN_BUILDER_VERSION 2/define QUERN_BUILDER_VERSION 1/' m/quern_builder.h && (cd m && c++ -std=c++17 -fPIC -shared m.cpp -o old.so) && model-info m/old.so
! model-info: m/old.so: the library could not compose its model for version 2 of the builder
! hint: make it again with quern codegen --plugin cpp --lib
? 3
