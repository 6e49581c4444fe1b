# f1.sh NAME TRUTH [THRESHOLD]: F1 over all samples and classes of scores that are at least THRESHOLD (0.5).
# TRUTH has a line for each sample, with a 0 or 1 for each class.
set -eu
. "$(dirname "$0")/npy.sh"
lines "$QUERN_OUTPUTS" "$1" >"$work/scores"
truth "$2" >"$work/truth"
awk -v threshold="${3:-0.5}" '
    NR == FNR { wanted[FNR] = $0; next }
    {
        if (split(wanted[FNR], w, " ") != NF) { print "sample " FNR - 1 ": other classes than the truth" > "/dev/stderr"; exit failed = 1 }
        for (i = 1; i <= NF; ++i) {
            got = $i + 0 >= threshold + 0
            right += got && w[i] + 0
            wrong += got != (w[i] + 0 > 0)
        }
    }
    END {
        if (failed) exit 1
        printf "%.6f\n", right + wrong ? 2 * right / (2 * right + wrong) : 1
    }' "$work/truth" "$work/scores"
