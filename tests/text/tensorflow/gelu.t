needs: models

Gelu as Keras has it, by erfc, is Gelu in what is written.

$ model-convert $MODELS/frontends/tf/transformer/frozen.pb -q -o t.onnx; model-info t.onnx | grep -c 'Gelu  *2'
> 1
$ model-convert $MODELS/frontends/tf/unet/frozen.pb -q -o u.tflite; model-info u.tflite | grep -c 'Gelu  *1'
> 1
