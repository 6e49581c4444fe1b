# cosine.sh NAME: the mean over samples of the cosine between an output and that of the float model.
set -eu
. "$(dirname "$0")/npy.sh"
lines "$QUERN_OUTPUTS" "$1" >"$work/own"
lines "$QUERN_FLOAT_OUTPUTS" "$1" >"$work/float"
awk '
    NR == FNR { own[FNR] = $0; next }
    {
        split(own[FNR], a, " ")
        ab = aa = bb = 0
        for (i = 1; i <= NF; ++i) { ab += a[i] * $i; aa += a[i] * a[i]; bb += $i * $i }
        sum += aa * bb > 0 ? ab / sqrt(aa * bb) : aa == bb
    }
    END { printf "%.6f\n", sum / FNR }' "$work/own" "$work/float"
