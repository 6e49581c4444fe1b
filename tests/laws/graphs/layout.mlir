// What move_layout carries along: channel shuffles, selections, cuts and frames, sums and axes, between convolutions.
func.func @layout(%x: tensor<1x2x6x6xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x3xf32>, tensor<1x5x5xi64>, tensor<1x3xf32>, tensor<1x2x5x5xf32>, tensor<1x25x4xf32>) {
  %none = "onnx.NoValue"() : () -> none
  %w0 = "onnx.Constant"() {value = dense<"0x0000203F000060BF000020BF000000BF000020BF0000203F0000403F0000003E000080BF000060BF0000C0BE000000BE0000803E00000000000000BF000040BF0000C03E0000003F000080BF000060BF000000BE000080BE0000603F00000000000000BE000000BE0000C03E0000003E000040BF0000003F0000003F0000803F"> : tensor<4x2x2x2xf32>} : () -> tensor<4x2x2x2xf32>
  %s1 = "onnx.Constant"() {value = dense<[1, 2, 2, 5, 5]> : tensor<5xi64>} : () -> tensor<5xi64>
  %s2 = "onnx.Constant"() {value = dense<[1, 4, 5, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %w1 = "onnx.Constant"() {value = dense<[[[[0.625]], [[-0.5]], [[-0.375]], [[0.375]]], [[[0.375]], [[0.375]], [[0.75]], [[-0.5]]], [[[0.875]], [[-1.0]], [[-0.875]], [[1.0]]], [[[1.0]], [[-0.375]], [[-0.75]], [[-0.375]]]]> : tensor<4x4x1x1xf32>} : () -> tensor<4x4x1x1xf32>
  %s3 = "onnx.Constant"() {value = dense<[2, 2, 25]> : tensor<3xi64>} : () -> tensor<3xi64>
  %s4 = "onnx.Constant"() {value = dense<[2, 1, 2, 5, 5]> : tensor<5xi64>} : () -> tensor<5xi64>
  %i0 = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %i1 = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %w2 = "onnx.Constant"() {value = dense<[[[[-1.0]], [[0.875]], [[0.375]], [[0.125]]], [[[-0.5]], [[0.0]], [[-0.625]], [[0.625]]], [[[0.0]], [[-1.0]], [[-0.5]], [[0.5]]], [[[0.0]], [[-0.25]], [[-0.5]], [[-0.875]]]]> : tensor<4x4x1x1xf32>} : () -> tensor<4x4x1x1xf32>
  %b = "onnx.Constant"() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e = "onnx.Constant"() {value = dense<[4, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ax = "onnx.Constant"() {value = dense<[1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %p = "onnx.Constant"() {value = dense<[0, 1, 1, 0, 0, 0, 0, 2]> : tensor<8xi64>} : () -> tensor<8xi64>
  %w3 = "onnx.Constant"() {value = dense<"0x0000803E0000C03E000000000000603F0000603F000020BF0000803E0000803E000000BF0000C0BE000000000000003F000000BF0000003F0000C03E000020BF000080BE0000403F0000403F0000C03E000080BF0000C03E000020BF0000203F0000603F000000BE0000803F0000003F0000C0BE0000403F000080BE000060BF0000803E0000403F0000C03E000080BE0000603F00000000000080BE000040BF000020BF0000C03E0000203F000000BF0000803E0000403F000040BF000000BF"> : tensor<4x3x2x2xf32>} : () -> tensor<4x3x2x2xf32>
  %sc = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %ra = "onnx.Constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %sp = "onnx.Constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %sq = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %k = "onnx.Constant"() {value = dense<[[[0.0]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %w4 = "onnx.Constant"() {value = dense<[[0.125, -0.25, -0.25], [-0.75, 0.25, 0.875], [-0.625, 0.625, -0.625], [-1.0, 0.5, -0.625]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %gi = "onnx.Constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s5 = "onnx.Constant"() {value = dense<[1, 25, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c = "onnx.Conv"(%x, %w0) {onnx_node_name = "n_c"} : (tensor<1x2x6x6xf32>, tensor<4x2x2x2xf32>) -> tensor<1x4x5x5xf32>
  %g = "onnx.Reshape"(%c, %s1) {onnx_node_name = "n_g"} : (tensor<1x4x5x5xf32>, tensor<5xi64>) -> tensor<1x2x2x5x5xf32>
  %gt = "onnx.Transpose"(%g) {onnx_node_name = "n_gt", perm = [0, 2, 1, 3, 4]} : (tensor<1x2x2x5x5xf32>) -> tensor<1x2x2x5x5xf32>
  %shuffled = "onnx.Reshape"(%gt, %s2) {onnx_node_name = "n_shuffled"} : (tensor<1x2x2x5x5xf32>, tensor<4xi64>) -> tensor<1x4x5x5xf32>
  %after = "onnx.Conv"(%shuffled, %w1) {onnx_node_name = "n_after"} : (tensor<1x4x5x5xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x5x5xf32>
  %h = "onnx.Reshape"(%c, %s3) {onnx_node_name = "n_h"} : (tensor<1x4x5x5xf32>, tensor<3xi64>) -> tensor<2x2x25xf32>
  %ht = "onnx.Transpose"(%h) {onnx_node_name = "n_ht", perm = [1, 0, 2]} : (tensor<2x2x25xf32>) -> tensor<2x2x25xf32>
  %hr = "onnx.Reshape"(%ht, %s4) {onnx_node_name = "n_hr"} : (tensor<2x2x25xf32>, tensor<5xi64>) -> tensor<2x1x2x5x5xf32>
  %even = "onnx.Gather"(%hr, %i0) {axis = 0 : si64, onnx_node_name = "n_even"} : (tensor<2x1x2x5x5xf32>, tensor<i64>) -> tensor<1x2x5x5xf32>
  %odd = "onnx.Gather"(%hr, %i1) {axis = 0 : si64, onnx_node_name = "n_odd"} : (tensor<2x1x2x5x5xf32>, tensor<i64>) -> tensor<1x2x5x5xf32>
  %both = "onnx.Concat"(%even, %odd) {axis = 1 : si64, onnx_node_name = "n_both"} : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x4x5x5xf32>
  %apart = "onnx.Conv"(%both, %w2) {onnx_node_name = "n_apart"} : (tensor<1x4x5x5xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x5x5xf32>
  %cut = "onnx.Slice"(%c, %b, %e, %ax) {onnx_node_name = "n_cut"} : (tensor<1x4x5x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x3x5x5xf32>
  %framed = "onnx.Pad"(%cut, %p) {onnx_node_name = "n_framed"} : (tensor<1x3x5x5xf32>, tensor<8xi64>) -> tensor<1x4x6x7xf32>
  %spread = "onnx.ConvTranspose"(%framed, %w3) {onnx_node_name = "n_spread", strides = [2, 2]} : (tensor<1x4x6x7xf32>, tensor<4x3x2x2xf32>) -> tensor<1x3x12x14xf32>
  %big = "onnx.Resize"(%spread, %none, %sc) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", onnx_node_name = "n_big"} : (tensor<1x3x12x14xf32>, none, tensor<4xf32>) -> tensor<1x3x24x28xf32>
  %mean = "onnx.ReduceMean"(%big, %ra) {keepdims = 0 : si64, onnx_node_name = "n_mean"} : (tensor<1x3x24x28xf32>, tensor<2xi64>) -> tensor<1x3xf32>
  %one, %three = "onnx.Split"(%c, %sp) {axis = 1 : si64, onnx_node_name = "n_one"} : (tensor<1x4x5x5xf32>, tensor<2xi64>) -> (tensor<1x1x5x5xf32>, tensor<1x3x5x5xf32>)
  %soft = "onnx.Softmax"(%three) {axis = 1 : si64, onnx_node_name = "n_soft"} : (tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %best = "onnx.ArgMax"(%soft) {axis = 1 : si64, keepdims = 0 : si64, onnx_node_name = "n_best"} : (tensor<1x3x5x5xf32>) -> tensor<1x5x5xi64>
  %flat = "onnx.Squeeze"(%one, %sq) {onnx_node_name = "n_flat"} : (tensor<1x1x5x5xf32>, tensor<1xi64>) -> tensor<1x5x5xf32>
  %unflat = "onnx.Unsqueeze"(%flat, %sq) {onnx_node_name = "n_unflat"} : (tensor<1x5x5xf32>, tensor<1xi64>) -> tensor<1x1x5x5xf32>
  %times = "onnx.Mul"(%unflat, %k) {onnx_node_name = "n_times"} : (tensor<1x1x5x5xf32>, tensor<1x1x1xf32>) -> tensor<1x1x5x5xf32>
  %sum = "onnx.Add"(%times, %c) {onnx_node_name = "n_sum"} : (tensor<1x1x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %pooled = "onnx.GlobalAveragePool"(%sum) {onnx_node_name = "n_pooled"} : (tensor<1x4x5x5xf32>) -> tensor<1x4x1x1xf32>
  %line = "onnx.Flatten"(%pooled) {onnx_node_name = "n_line"} : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
  %fc = "onnx.Gemm"(%line, %w4) {onnx_node_name = "n_fc"} : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  %picked = "onnx.Gather"(%after, %gi) {axis = 1 : si64, onnx_node_name = "n_picked"} : (tensor<1x4x5x5xf32>, tensor<2xi64>) -> tensor<1x2x5x5xf32>
  %last = "onnx.Transpose"(%c) {onnx_node_name = "n_last", perm = [0, 2, 3, 1]} : (tensor<1x4x5x5xf32>) -> tensor<1x5x5x4xf32>
  %tokens = "onnx.Reshape"(%last, %s5) {onnx_node_name = "n_tokens"} : (tensor<1x5x5x4xf32>, tensor<3xi64>) -> tensor<1x25x4xf32>
  onnx.Return %apart, %mean, %best, %fc, %picked, %tokens : tensor<1x4x5x5xf32>, tensor<1x3xf32>, tensor<1x5x5xi64>, tensor<1x3xf32>, tensor<1x2x5x5xf32>, tensor<1x25x4xf32>
}
