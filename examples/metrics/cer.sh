# cer.sh NAME TRUTH ALPHABET: the character error rate of CTC scores [steps, classes], read greedily.
# Class 0 is the blank, class k the k-th letter of ALPHABET (of one byte each). TRUTH has a line of text for each sample.
set -eu
. "$(dirname "$0")/npy.sh"
results "$QUERN_OUTPUTS" "$1" >"$work/results"
truth "$2" >"$work/truth"
while IFS= read -r file; do
    npy "$file" >"$work/rows"
    awk -v alphabet="$3" '
        {
            best = 1
            for (i = 2; i <= NF; ++i) if ($i + 0 > $best + 0) best = i
            if (best > 1 && best != last) text = text substr(alphabet, best - 1, 1)
            last = best
        }
        END { print text }' "$work/rows"
done <"$work/results" >"$work/texts"
awk '
    function least(a, b) { return a < b ? a : b }
    function edits(a, b,    i, j, up, corner, row) {
        for (j = 0; j <= length(b); ++j) row[j] = j
        for (i = 1; i <= length(a); ++i) {
            corner = row[0]
            row[0] = i
            for (j = 1; j <= length(b); ++j) {
                up = row[j]
                row[j] = least(least(row[j - 1], up) + 1, corner + (substr(a, i, 1) != substr(b, j, 1)))
                corner = up
            }
        }
        return row[length(b)]
    }
    NR == FNR { wanted[FNR] = $0; next }
    { sum += edits($0, wanted[FNR]); letters += length(wanted[FNR]) }
    END {
        if (!letters) { print "no true text for these samples" > "/dev/stderr"; exit 1 }
        printf "%.6f\n", sum / letters
    }' "$work/truth" "$work/texts"
