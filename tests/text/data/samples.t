needs: models

The labelled model of the ONNX zoo, on rows of a blob: as many right as its reference.
$ M=$MODELS/onnx/mnist_cnn_opset8.onnx; I="Input3=$MODELS/data/mnist/images_u8.bin:u8[28,28]"; L=$MODELS/data/mnist/labels.csv
+ run $M --input "$I" --labels $L --parallel | sed -n 2,3p
> top-1    98.70 % (987/1000)
> top-5    100.00 % (1000/1000)

A part of the rows keeps its labels.
$ M=$MODELS/onnx/mnist_cnn_opset8.onnx; I="Input3=$MODELS/data/mnist/images_u8.bin:u8[28,28]"; L=$MODELS/data/mnist/labels.csv
+ run $M --input "$I" --labels $L --skip-rows 990 | sed -n 2p
> top-1    100.00 % (10/10)

An input list of raw files gives the same results as the rows they were cut from; results chain as a stream.
$ M=$MODELS/onnx/mnist_cnn_opset8.onnx; B=$MODELS/data/mnist/images_u8.bin
+ for i in 0 1 2; do python3 -c "
+ import array, sys
+ b = open('$B', 'rb').read()[784*$i:784*$i+784]
+ array.array('f', list(b)).tofile(open('$i.raw', 'wb'))"; echo "Input3:=$i.raw" >> list.txt; done
+ run $M --input-list list.txt -o a && run $M --input "Input3=$B:u8[28,28]" --rows 3 --format npy -o b && ls a a/Result_2
+ model-diff a b --threshold 200
> a:
> Result_0
> Result_1
> Result_2
> 
> a/Result_2:
> Plus214_Output_0.raw
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000 [...]

Shards, in any order, are the whole; a model against itself is equal everywhere.
$ M=$MODELS/onnx/mnist_cnn_opset8.onnx; I="Input3=$MODELS/data/mnist/images_u8.bin:u8[28,28]"
+ minmax-collect $M --input "$I" --rows 100 -o whole.json --threads 2
+ minmax-collect $M --input "$I" --rows 40 -o a.json --threads 1
+ minmax-collect $M --input "$I" --skip-rows 40 --rows 60 -o b.json
+ minmax-collect merge b.json a.json | cmp - whole.json && echo same
+ model-diff $M $M --input "$I" --rows 2 --threshold 300 --outputs-only
> same
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000 [...] Plus214_Output_0 (output)
$ minmax-collect merge a.json a.json
! minmax-collect: a.json: value "Convolution110_Output_0": sample 0 is on both sides
! hint: --renumber lets the samples of each file follow those before
? 3

A wrong size says file, got and want.
$ head -c 100 /dev/zero > short.raw; run $MODELS/onnx/mnist_cnn_opset8.onnx --input short.raw
! run: short.raw: got 100 bytes, need 3136 (float32[1,1,28,28]) for input "Input3"
? 3
$ minmax-collect $MODELS/onnx/mnist_cnn_opset8.onnx
! minmax-collect: no samples
! hint: give --input-list, --input or --tokens
? 2
