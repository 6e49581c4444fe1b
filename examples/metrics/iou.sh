# iou.sh NAME TRUTH: for each true box the greatest intersection over union with a box of the output, on the mean.
# Boxes are x0 y0 x1 y1: rows of the output; in TRUTH a line for each sample, with its boxes one after another.
set -eu
. "$(dirname "$0")/npy.sh"
lines "$QUERN_OUTPUTS" "$1" >"$work/boxes"
truth "$2" >"$work/truth"
awk '
    function least(a, b) { return a < b ? a : b }
    function most(a, b) { return a > b ? a : b }
    function area(x0, y0, x1, y1) { return most(x1 - x0, 0) * most(y1 - y0, 0) }
    NR == FNR { wanted[FNR] = $0; next }
    {
        n = split(wanted[FNR], w, " ")
        for (t = 1; t + 3 <= n; t += 4) {
            best = 0
            for (i = 1; i + 3 <= NF; i += 4) {
                both = area(most($i, w[t]), most($(i + 1), w[t + 1]), least($(i + 2), w[t + 2]), least($(i + 3), w[t + 3]))
                all = area($i, $(i + 1), $(i + 2), $(i + 3)) + area(w[t], w[t + 1], w[t + 2], w[t + 3]) - both
                if (all > 0) best = most(best, both / all)
            }
            sum += best
            ++count
        }
    }
    END {
        if (!count) { print "no true boxes for these samples" > "/dev/stderr"; exit 1 }
        printf "%.6f\n", sum / count
    }' "$work/truth" "$work/boxes"
