Decision trees and dictionaries of ai.onnx.ml run; a tree without an end, a way that leads nowhere, and lists of unlike lengths are errors of the node.
$ cat > tree.mlir <<'END'
+ func.func @tree(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
+   %y = "ai.onnx.ml.TreeEnsembleRegressor"(%x) {n_targets = 1 : si64, nodes_falsenodeids = [2, 0, 0], nodes_featureids = [1, 0, 0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_nodeids = [0, 1, 2], nodes_treeids = [0, 0, 0], nodes_truenodeids = [1, 0, 0], nodes_values = [0.5 : f32, 0.0 : f32, 0.0 : f32], onnx_node_name = "t", target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [0, 0], target_weights = [-1.0 : f32, 2.5 : f32]} : (tensor<3x2xf32>) -> tensor<3x1xf32>
+   return %y : tensor<3x1xf32>
+ }
+ END
$ printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\300\177' > x.raw; run tree.mlir --input x=x.raw --output-dir out && od -A n -t f4 out/Result_0/y.raw
>               -1             2.5             2.5
$ model-convert tree.mlir -o tree.onnx && run tree.onnx --input x=x.raw --output-dir again && cmp out/Result_0/y.raw again/Result_0/y.raw
$ sed 's/nodes_modes = \["BRANCH_LEQ", "LEAF"/nodes_modes = ["BRANCH_LEQ", "BRANCH_LT"/' tree.mlir > cycle.mlir; run cycle.mlir --input x=x.raw
! run: sample 0: node "t" (TreeEnsembleRegressor): a tree has a cycle
? 3
$ sed 's/nodes_truenodeids = \[1/nodes_truenodeids = [7/' tree.mlir > nowhere.mlir; run nowhere.mlir --input x=x.raw
! run: sample 0: node "t" (TreeEnsembleRegressor): tree 0 has no node 7
? 3
$ sed 's/target_ids = \[0, 0\]/target_ids = [0]/' tree.mlir > unlike.mlir; run unlike.mlir --input x=x.raw
! run: sample 0: node "t" (TreeEnsembleRegressor): attribute "target_ids" has 1 entries, need 2
? 3
$ sed 's/nodes_featureids = \[1/nodes_featureids = [2/' tree.mlir > wide.mlir; run wide.mlir --input x=x.raw
! run: sample 0: node "t" (TreeEnsembleRegressor): a tree asks for feature 2 of 2
? 3
