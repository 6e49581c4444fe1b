Biases of 16-bit products are wider than 32 bits at the scale of the sums: codes and the written model keep them.
$ M=$TEST_MODELS/exports/torch/tv_resnet; python3 -c "
+ import zipfile
+ open('x.npy', 'wb').write(zipfile.ZipFile('$M.npz').read('x.npy'))"
$ M=$TEST_MODELS/exports/torch/tv_resnet.dynamo.onnx; minmax-collect $M --input x=x.npy -o r.json && for f in onnx qn; do quantize $M --ranges r.json --type i16-sym -o q.$f -q; run q.$f --input x=x.npy --mode int -o coded.$f -q; done; run $M --input x=x.npy -o float -q
$ for f in onnx qn; do model-diff float coded.$f --threshold 80 >diff && awk 'END { print $NF, ($1 > 90) }' diff; done
> (output) 1
> (output) 1
