# map.sh BOXES SCORES TRUTH [IOU]: mean average precision of a detector at this intersection over union (0.5): the area below the curve of
# precision over recall, on the mean over the classes that TRUTH has.
# BOXES are rows of x0 y0 x1 y1; SCORES has for each box a score, or one for each class. TRUTH has a line for each sample: class x0 y0 x1 y1,
# one box after another, classes counted from 0.
set -eu
. "$(dirname "$0")/npy.sh"
lines "$QUERN_OUTPUTS" "$1" >"$work/boxes"
lines "$QUERN_OUTPUTS" "$2" >"$work/scores"
truth "$3" >"$work/truth"
# A line for each box and class: class, score, sample, box; the best of each class first.
awk '
    NR == FNR { scores[FNR] = $0; next }
    {
        n = split(scores[FNR], s, " ")
        boxes = int(NF / 4)
        classes = int(n / boxes)
        for (b = 0; b < boxes; ++b)
            for (c = 0; c < classes; ++c) print c, s[b * classes + c + 1], FNR, $(4 * b + 1), $(4 * b + 2), $(4 * b + 3), $(4 * b + 4)
    }' "$work/scores" "$work/boxes" | sort -k1,1n -k2,2gr -s >"$work/ranked"
awk -v need="${4:-0.5}" '
    function least(a, b) { return a < b ? a : b }
    function most(a, b) { return a > b ? a : b }
    function area(x0, y0, x1, y1) { return most(x1 - x0, 0) * most(y1 - y0, 0) }
    function overlap(key, x0, y0, x1, y1, w, both, all) {
        split(box[key], w, " ")
        both = area(most(x0, w[1]), most(y0, w[2]), least(x1, w[3]), least(y1, w[4]))
        all = area(x0, y0, x1, y1) + area(w[1], w[2], w[3], w[4]) - both
        return all > 0 ? both / all : 0
    }
    # Precision at each recall is the best there or beyond it.
    function average(c, i, best, sum) {
        for (i = ranked; i > 0; --i) {
            best = most(best, precision[i])
            if (right[i]) sum += best
        }
        return sum / wanted[c]
    }
    function finish() {
        if (wanted[current]) total += average(current)
        ranked = hits = 0
    }
    BEGIN { current = "none" }
    NR == FNR {
        for (i = 1; i + 4 <= NF; i += 5) {
            key = FNR " " $i
            box[key " " count[key]++] = $(i + 1) " " $(i + 2) " " $(i + 3) " " $(i + 4)
            if (!wanted[$i]++) ++classes
        }
        next
    }
    {
        if ($1 "" != current) { finish(); current = $1 "" }
        key = $3 " " $1
        best = -1
        for (t = 0; t < count[key]; ++t)
            if (!taken[key " " t] && (found = overlap(key " " t, $4, $5, $6, $7)) >= need && found > best) { best = found; which = t }
        right[++ranked] = best >= 0
        if (best >= 0) { taken[key " " which] = 1; ++hits }
        precision[ranked] = hits / ranked
    }
    END {
        finish()
        if (!classes) { print "no true boxes for these samples" > "/dev/stderr"; exit 1 }
        printf "%.6f\n", total / classes
    }' "$work/truth" "$work/ranked"
