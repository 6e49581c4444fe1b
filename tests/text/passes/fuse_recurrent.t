Keras' recurrent layers, which TensorFlow's converter makes loops, are the operators that they were.
$ model-convert $TEST_MODELS/exports/keras/bidirectional.float.tflite --passes fuse_lstm,fuse_gru -o b.qn && model-info b.qn | grep -o "\(GRU\|LSTM\|Loop\) *[0-9]*"
> GRU                                  2
> LSTM                                 2
$ model-diff $TEST_MODELS/exports/keras/bidirectional.float.tflite b.qn --random 1 --rows 2 --threshold 100 >diff.txt && echo same
> same
$ model-convert $TEST_MODELS/exports/keras/gru.float.tflite --passes fuse_gru -o g.qn && model-diff $TEST_MODELS/exports/keras/gru.float.tflite g.qn --random 1 --threshold 100 >diff.txt && echo same
> same
