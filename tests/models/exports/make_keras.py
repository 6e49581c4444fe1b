"""Small Keras nets with random weights in every form that TensorFlow's converter makes: make_keras.py FOLDER [NAME ...].

Writes FOLDER/NAME.{float,dr,f16,i8,i16}.tflite and, with LiteRT's reference kernels, FOLDER/goldens.json. What the converter refuses is left out and
printed. Needs tensorflow-cpu in a Python of its own; nothing else here does.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
import numpy as np
import tensorflow as tf

from inputs import numbers, picked

K, L = tf.keras, tf.keras.layers
tf.config.threading.set_intra_op_parallelism_threads(1)


def conv(x, filters, kernel=3, stride=1, act="relu", **more):
    x = L.Conv2D(filters, kernel, stride, "same", use_bias=False, **more)(x)
    x = L.BatchNormalization()(x)
    return L.Activation(act)(x) if act else x


def depthwise(x, stride=1, act="relu6", kernel=3):
    return L.Activation(act)(L.BatchNormalization()(L.DepthwiseConv2D(kernel, stride, "same", use_bias=False)(x)))


def squeeze_excite(x, reduced, act, gate):
    channels = x.shape[-1]
    y = L.Reshape((1, 1, channels))(L.GlobalAveragePooling2D()(x))
    y = L.Conv2D(reduced, 1, activation=act)(y)
    return L.Multiply()([x, gate(L.Conv2D(channels, 1)(y))])


def hard_sigmoid(x):
    return L.Rescaling(1 / 6)(L.ReLU(6.0)(L.Rescaling(1.0, 3.0)(x)))


def hard_swish(x):
    return L.Multiply()([x, hard_sigmoid(x)])


def image(size=32, channels=3):
    return L.Input((size, size, channels))


def mobilenet_v1():
    i = image()
    x = conv(i, 8, 3, 2, "relu6")
    for filters, stride in ((12, 1), (16, 2), (16, 1)):
        x = conv(depthwise(x, stride), filters, 1, 1, "relu6")
    x = L.GlobalAveragePooling2D(keepdims=True)(x)
    x = L.Reshape((10,))(L.Conv2D(10, 1)(L.Dropout(0.1)(x)))
    return K.Model(i, L.Activation("softmax")(x))


def mobilenet_v2():
    i = image()
    x = conv(L.ZeroPadding2D(((0, 1), (0, 1)))(i), 8, 3, 2, "relu6")
    for filters, stride in ((8, 1), (12, 2), (12, 1)):
        y = conv(x, 4 * x.shape[-1], 1, 1, "relu6")
        y = conv(depthwise(y, stride), filters, 1, 1, None)
        x = L.Add()([x, y]) if stride == 1 and filters == x.shape[-1] else y
    return K.Model(i, L.Dense(10, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def mobilenet_v3():
    i = image()
    x = hard_swish(conv(L.Rescaling(1 / 127.5, -1.0)(i), 8, 3, 2, None))
    for filters, stride in ((12, 2), (12, 1)):
        y = hard_swish(conv(x, 24, 1, 1, None))
        y = hard_swish(L.BatchNormalization()(L.DepthwiseConv2D(5, stride, "same", use_bias=False)(y)))
        y = conv(squeeze_excite(y, 8, "relu", hard_sigmoid), filters, 1, 1, None)
        x = L.Add()([x, y]) if stride == 1 else y
    x = hard_swish(L.Conv2D(24, 1)(L.GlobalAveragePooling2D(keepdims=True)(x)))
    return K.Model(i, L.Activation("softmax")(L.Flatten()(L.Conv2D(10, 1)(x))))


def efficientnet():
    i = image()
    x = L.Normalization(mean=[0.4, 0.5, 0.6], variance=[0.2, 0.3, 0.4])(L.Rescaling(1 / 255)(i))
    x = conv(L.ZeroPadding2D(((0, 1), (0, 1)))(x), 8, 3, 2, "swish")
    for filters, stride in ((12, 2), (12, 1)):
        y = depthwise(conv(x, 24, 1, 1, "swish"), stride, "swish")
        y = conv(squeeze_excite(y, 4, "swish", L.Activation("sigmoid")), filters, 1, 1, None)
        x = L.Add()([x, y]) if stride == 1 else y
    return K.Model(i, L.Dense(10, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def lstm():
    i = L.Input((8, 6), batch_size=1)
    x = L.LSTM(10, return_sequences=True)(i)
    return K.Model(i, L.Dense(5, activation="softmax")(L.LSTM(7)(x)))


def lstm_flat():
    i = L.Input((9, 5), batch_size=1)
    return K.Model(i, L.Dense(4)(L.Flatten()(L.LSTM(8, return_sequences=True, go_backwards=True)(i))))


def bidirectional():
    i = L.Input((8, 6), batch_size=1)
    x = L.Bidirectional(L.LSTM(6, return_sequences=True))(i)
    return K.Model(i, L.Dense(5)(L.Bidirectional(L.GRU(5))(x)))


def gru():
    i = L.Input((8, 6), batch_size=1)
    x = L.GRU(10, return_sequences=True)(i)
    return K.Model(i, L.Dense(5)(L.GRU(7, reset_after=False)(x)))


def unrolled():
    i = L.Input((4, 6))
    parts = [layer(7, unroll=True)(i) for layer in (L.LSTM, L.GRU, L.SimpleRNN)]
    return K.Model(i, L.Dense(4)(L.Concatenate()(parts)))


def sequence():
    i = L.Input((40, 6))
    x = i
    for filters, dilation in ((8, 1), (12, 2)):
        x = L.ReLU()(L.BatchNormalization()(L.Conv1D(filters, 5, padding="causal", dilation_rate=dilation)(x)))
    x = L.MaxPool1D(2)(L.SeparableConv1D(12, 3, padding="same")(x))
    x = L.Conv1DTranspose(8, 4, strides=2, padding="same")(x)
    return K.Model(i, L.Dense(5, activation="sigmoid")(L.GlobalMaxPooling1D()(x)))


def transformer():
    i = L.Input((12, 16))
    x = L.LayerNormalization()(i)
    x = L.Add()([i, L.MultiHeadAttention(2, 8)(x, x)])
    y = L.Dense(16)(L.Dense(32, activation="gelu")(L.LayerNormalization()(x)))
    return K.Model(i, L.Dense(5, activation="softmax")(L.GlobalAveragePooling1D()(L.Add()([x, y]))))


def text():
    i = L.Input((10,), dtype="int32")
    x = L.SpatialDropout1D(0.1)(L.Embedding(200, 8)(i))
    x = L.Concatenate()([L.GlobalAveragePooling1D()(x), L.GlobalMaxPooling1D()(x)])
    return K.Model(i, L.Dense(3, activation="softmax")(L.Dense(8, activation="elu")(x)))


def unet():
    i, skips = image(16), []
    x = i
    for filters in (4, 8):
        x = conv(conv(x, filters), filters)
        skips.append(x)
        x = L.MaxPool2D()(x)
    x = conv(x, 12)
    for filters in (8, 4):
        x = L.Concatenate()([L.Conv2DTranspose(filters, 3, 2, "same")(x), skips.pop()])
        x = conv(x, filters)
    return K.Model(i, L.Conv2D(3, 1, activation="softmax")(x))


def upsampling():
    i = image(16)
    a = conv(i, 6, act="swish")
    x = conv(L.AveragePooling2D(2)(a), 8, dilation_rate=2, act="swish")
    x = L.Concatenate()([L.UpSampling2D(interpolation="bilinear")(x), a])
    x = L.LeakyReLU(negative_slope=0.2)(L.Conv2D(6, 3, padding="same")(x))
    x = L.Cropping2D(2)(L.UpSampling2D(interpolation="nearest")(x))
    return K.Model(i, L.Conv2D(2, 1, activation="tanh")(L.PReLU("uniform", shared_axes=[1, 2])(x)))


def shuffle():
    i = image(16, 8)
    x = L.Conv2D(16, 3, groups=4, padding="same", activation="relu")(i)
    x = L.Reshape((16, 16, 16))(L.Permute((1, 2, 4, 3))(L.Reshape((16, 16, 4, 4))(x)))
    a = L.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2)(x)
    x = L.Concatenate()([a, L.MaxPool2D(3, 2, "same")(x)])
    x = L.Lambda(lambda t: tf.nn.depth_to_space(tf.nn.space_to_depth(t, 2), 2))(x)
    x = L.GlobalAveragePooling2D(keepdims=True)(L.ZeroPadding2D(((1, 2), (0, 3)))(x))
    return K.Model(i, L.Flatten()(L.Conv2D(6, 1)(x)))


def volume():
    i = L.Input((6, 8, 8, 2))
    x = L.MaxPool3D(2)(L.Conv3D(4, 3, padding="same", activation="relu")(i))
    return K.Model(i, L.Dense(5)(L.Flatten()(x)))


def mixer():
    i = image(16)
    x = L.Reshape((16, 12))(L.Conv2D(12, 4, 4)(i))
    for _ in range(2):
        y = L.Permute((2, 1))(L.LayerNormalization()(x))
        x = L.Add()([x, L.Permute((2, 1))(L.Dense(16)(L.Dense(16, activation="gelu")(y)))])
        x = L.Add()([x, L.Dense(12)(L.Dense(24, activation="gelu")(L.LayerNormalization()(x)))])
    return K.Model(i, L.Dense(5)(L.GlobalAveragePooling1D()(x)))


def densenet():
    i = image(16)
    x = conv(i, 8)
    for _ in range(3):
        y = L.Activation("relu")(L.BatchNormalization()(x))
        x = L.Concatenate()([x, L.Conv2D(6, 3, padding="same", use_bias=False)(y)])
    x = L.AveragePooling2D(2)(L.Conv2D(8, 1)(L.Activation("relu")(L.BatchNormalization()(x))))
    return K.Model(i, L.Dense(5, activation="softmax")(L.GlobalMaxPooling2D()(x)))


def resnet():
    i = image(16)
    x = L.MaxPool2D(3, 2)(L.ZeroPadding2D(1)(conv(i, 8)))
    y = conv(conv(conv(x, 6, 1), 6), 16, 1, 1, None)
    x = L.ReLU()(L.Add()([conv(x, 16, 1, 1, None), y]))
    return K.Model(i, L.Dense(5, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def normalized():
    """Operators that the converter makes of TensorFlow's own functions."""
    i = image(8, 4)
    x = L.Lambda(lambda t: tf.nn.l2_normalize(t, -1))(i)
    x = L.Lambda(lambda t: tf.stack([t[:, ::2], t[:, 1::2]], 1))(x)
    x = L.Lambda(lambda t: tf.unstack(t, axis=1)[1] + tf.math.squared_difference(*tf.unstack(t, axis=1)))(x)
    x = L.Lambda(lambda t: tf.pad(t, [[0, 0], [1, 1], [2, 1], [0, 0]], "REFLECT"))(x)
    x = L.GroupNormalization(2)(x)
    return K.Model(i, L.Dense(3)(L.Flatten()(L.Lambda(lambda t: tf.reduce_max(t, [2]) * tf.math.rsqrt(1 + tf.reduce_mean(t * t, 2)))(x))))


NETS = {f.__name__: f for f in (mobilenet_v1, mobilenet_v2, mobilenet_v3, efficientnet, lstm, lstm_flat, bidirectional, gru, unrolled, sequence, transformer,
                                text, unet, upsampling, shuffle, volume, mixer, densenet, resnet, normalized)}
SPREAD = {"mobilenet_v3": 127.0, "efficientnet": 127.0, "text": 200}
FORMS = ("float", "dr", "f16", "i8", "i16")
LOOPS = ("lstm", "lstm_flat", "bidirectional", "gru")  # the quantizer of TensorFlow 2.21 aborts on them
INFINITE = ("unrolled",)  # and writes scales of infinity for 16 bits


def with_statistics(model):
    source = np.random.default_rng(2)
    ranges = {"gamma": (0.7, 1.3), "beta": (-0.4, 0.4), "mean": (-0.3, 0.3), "variance": (0.5, 1.5)}
    for layer in model.layers:
        if isinstance(layer, (L.BatchNormalization, L.LayerNormalization)):
            layer.set_weights([source.uniform(*next(r for key, r in ranges.items() if key in w.name), w.shape) for w in layer.weights])
        elif isinstance(layer, (L.Dense, L.Conv2D, L.Conv2DTranspose)) and layer.use_bias:
            layer.bias.assign(source.uniform(-0.2, 0.2, layer.bias.shape))
        for part in (layer, getattr(layer, "forward_layer", None), getattr(layer, "backward_layer", None)):
            if hasattr(part, "cell"):
                part.cell.bias.assign(source.uniform(-0.3, 0.3, part.cell.bias.shape))
    return model


def converted(model, form, samples):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if form != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if form == "f16":
        converter.target_spec.supported_types = [tf.float16]
    if form in ("i8", "i16"):
        sets = tf.lite.OpsSet
        kind = tf.int8 if form == "i8" else tf.int16
        wide = sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        converter.representative_dataset = lambda: ([x] for x in samples)
        converter.target_spec.supported_ops = [sets.TFLITE_BUILTINS_INT8] if form == "i8" else [wide, sets.TFLITE_BUILTINS]
        if samples[0].dtype == np.float32:
            converter.inference_input_type = converter.inference_output_type = kind
    return converter.convert()


def results(path, x):
    """Of LiteRT's reference kernels, as real numbers; a few operators have others only."""
    kinds = tf.lite.experimental.OpResolverType
    for kernels in (kinds.BUILTIN_REF, kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            it = tf.lite.Interpreter(path, experimental_op_resolver_type=kernels)
            it.allocate_tensors()
            break
        except ValueError:
            continue
    detail = it.get_input_details()[0]
    scale, zero = detail["quantization"]
    if scale and detail["dtype"] != np.float32:
        limits = np.iinfo(detail["dtype"])
        x = np.clip(np.rint(x / np.float32(scale)) + zero, limits.min, limits.max)
    it.set_tensor(detail["index"], x.astype(detail["dtype"]))
    it.invoke()
    out = []
    for detail in it.get_output_details():
        y, (scale, zero) = it.get_tensor(detail["index"]), detail["quantization"]
        if scale and y.dtype != np.float32:
            y = (y.astype(np.float32) - np.float32(zero)) * np.float32(scale)
        out.append([float(f"{v:.8g}") for v in picked(y.ravel().tolist())])
    return out


def make(folder, name, goldens):
    tf.keras.utils.set_random_seed(1)
    model = with_statistics(NETS[name]())
    shape, spread = [d or 1 for d in model.inputs[0].shape], SPREAD.get(name, 1.0)
    samples = [np.frombuffer(numbers(shape, seed, spread), np.int32 if spread > 127 else np.float32).reshape(shape) for seed in range(8)]
    forms = FORMS[:3] if name in LOOPS else FORMS[:4] if name in INFINITE else FORMS
    for form in forms:
        path = f"{folder}/{name}.{form}.tflite"
        try:
            product = converted(model, form, samples)
        except Exception as problem:
            print(f"{name} {form}: {str(problem).strip().splitlines()[0][:150]}", flush=True)
            continue
        if form == "dr" and os.path.exists(f"{folder}/{name}.float.tflite") and len(product) == os.path.getsize(f"{folder}/{name}.float.tflite"):
            continue  # no weights of 1024 elements
        with open(path, "wb") as file:
            file.write(product)
        try:
            goldens[os.path.basename(path)] = {"shape": shape, "seed": 20, "spread": spread, "outputs": results(path, np.frombuffer(
                numbers(shape, 20, spread), samples[0].dtype).reshape(shape))}
        except Exception as problem:
            os.remove(path)
            print(f"{name} {form}: LiteRT: {str(problem).strip().splitlines()[0][:150]}", flush=True)
            continue
        print(name, form, len(product), flush=True)


def main():
    folder, wanted = sys.argv[1], sys.argv[2:] or list(NETS)
    path = f"{folder}/goldens.json"
    goldens = json.load(open(path)) if os.path.exists(path) else {}
    for name in wanted:
        make(folder, name, goldens)
        with open(path, "w") as file:
            file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(goldens.items())) + "\n}\n")


if __name__ == "__main__":
    main()
