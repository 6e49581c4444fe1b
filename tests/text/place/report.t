Reports: text to standard output, JSON, a picture and a page by the suffix of the file. No model is written beside one.

$ place $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --report -
> target      nnpa (estimate: published rates of the accelerator, not measured)
> placed by   QualifyingOps: 25.28 us a run, 2.00 us of it transfers and changes of encoding; at most 1303.7 % above the least, by costs that are an estimate
> others      FasterOps                1.80 us
>             FasterOpsWSU             1.80 us
>             MuchFasterOpsWSU         1.80 us
>             cpu alone                1.80 us
>             min-cut                  1.80 us
>
> device         nodes  partitions       compute largest arena       weights
> cpu                0           0          0 ns           0 B           0 B
> nnpa               4           1      23.28 us         128 B           0 B
>
> partition   device       nodes   in  out       arena        peak     weights  first to last node
> 0           nnpa             4    1    1       128 B         8 B         0 B  Relu_0 to Sigmoid_0
>
> node       operator                device              time      on cpu  why
> Relu_0     onnx.Relu               nnpa             5.82 us  below 1 ns  QualifyingOps
> Relu_1     onnx.Relu               nnpa             5.82 us  below 1 ns  QualifyingOps
> Relu_2     onnx.Relu               nnpa             5.82 us  below 1 ns  QualifyingOps
> Sigmoid_0  onnx.Sigmoid            nnpa             5.82 us     1.80 us  QualifyingOps
>
> 2 values go from device to device, 8 B
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.json && head -c 60 r.json
> {"basis":"estimate: published rates of the accelerator, not 
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.svg && head -c 4 r.svg; grep -c 'Sigmoid_0' r.svg
> <svg2
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.html && head -c 15 r.html
> <!doctype html>
! place: input "arg0" is float32[?,?,?]: taken with open dims of 1 (--shape sets others)
$ python3 -c "import xml.etree.ElementTree as tree; print(tree.fromstring(open('r.html').read().split('\n', 1)[1]).find('.//h1').text)"
> [...]lacement on nnpa
$ ls
> r.html
> r.json
> r.svg
