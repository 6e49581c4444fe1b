Reports: text to standard output, JSON, a picture and a page by the suffix of the file. No model is written beside one.

$ place $TEST_MODELS/relu_chain.mlir --target nnpa --heuristic QualifyingOps --report -
> target      nnpa (estimate: published rates of the accelerator, not measured)
> placed by   QualifyingOps: 29.37 us a run, 6.10 us of it transfers and changes of encoding; at most 781.6 % above the least
> others      FasterOps                3.33 us
>             FasterOpsWSU             3.33 us
>             MuchFasterOpsWSU         3.33 us
>             cpu alone                3.33 us
>             min-cut                  3.33 us
>
> device         nodes  partitions       compute largest arena       weights
> cpu                0           0       0.00 ns           0 B           0 B
> nnpa               4           1      23.28 us       16.0 KB           0 B
>
> partition   device       nodes   in  out       arena        peak     weights  first to last node
> 0           nnpa             4    1    1     16.0 KB     16.0 KB         0 B  Relu_0 to Sigmoid_0
> shapes are not all fixed: unknown dims count as 1 (first), 64 (last), 32 (before it) and 1
>
> node       operator                device              time      on cpu  why
> Relu_0     onnx.Relu               nnpa             5.82 us   327.68 ns  QualifyingOps
> Relu_1     onnx.Relu               nnpa             5.82 us   327.68 ns  QualifyingOps
> Relu_2     onnx.Relu               nnpa             5.82 us   327.68 ns  QualifyingOps
> Sigmoid_0  onnx.Sigmoid            nnpa             5.82 us     2.35 us  QualifyingOps
>
> 2 values go from device to device, 16.0 KB
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.json && head -c 60 r.json
> {"basis":"estimate: published rates of the accelerator, not 
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.svg && head -c 4 r.svg; grep -c 'Sigmoid_0' r.svg
> <svg2
$ place $TEST_MODELS/relu_chain.mlir --target nnpa --report r.html && head -c 15 r.html
> <!doctype html>
$ ls
> r.html
> r.json
> r.svg
