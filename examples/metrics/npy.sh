# For metrics in sh: what is in .npy files, and which results there are. Each script here begins by reading it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# npy FILE: its numbers, a line for each row of the last dim.
npy() {
    npy_length=$(od -An -j8 -N2 -tu2 "$1" | tr -d ' ')
    npy_header=$(dd if="$1" bs=1 skip=10 count="$npy_length" 2>/dev/null)
    case $npy_header in
    *"'<f4'"*) npy_type=f4 ;;
    *"'<f8'"*) npy_type=f8 ;;
    *"'<i8'"*) npy_type=d8 ;;
    *"'<i4'"*) npy_type=d4 ;;
    *"'|i1'"*) npy_type=d1 ;;
    *"'|u1'"* | *"'|b1'"*) npy_type=u1 ;;
    *) echo "$1: cannot read $npy_header" >&2 && return 1 ;;
    esac
    npy_dims=$(echo "$npy_header" | sed "s/.*'shape': (\([^)]*\)).*/\1/" | tr ',' ' ')
    od -An -v -j "$((npy_length + 10))" -t "$npy_type" "$1" | awk -v dims="$npy_dims" '
        BEGIN { last = split(dims, dim, " ") ? dim[split(dims, dim, " ")] : 1 }
        { for (i = 1; i <= NF; ++i) printf "%s%s", $i, ++n % last ? " " : "\n" }'
}

# results FOLDER NAME: the files of the output NAME, a line each, in the order of the samples.
results() {
    results_n=0
    while [ -d "$1/Result_$results_n" ]; do
        [ -f "$1/Result_$results_n/$2.npy" ] || { echo "no output $2 in $1/Result_$results_n" >&2 && return 1; }
        echo "$1/Result_$results_n/$2.npy"
        results_n=$((results_n + 1))
    done
}

# lines FOLDER NAME: the numbers of the output NAME, a line for each sample.
lines() {
    results "$1" "$2" >"$work/results"
    while IFS= read -r lines_file; do
        npy "$lines_file" >"$work/rows"
        tr '\n' ' ' <"$work/rows"
        echo
    done <"$work/results"
}

# truth FILE: its lines for the samples of the results that were asked for before.
truth() {
    truth_first=${QUERN_FIRST_ROW:-0}
    truth_count=$(wc -l <"$work/results")
    sed -n "$((truth_first + 1)),$((truth_first + truth_count))p" "$1" >"$work/lines"
    [ "$(wc -l <"$work/lines")" -eq "$truth_count" ] || { echo "$1: fewer lines than samples" >&2 && return 1; }
    cat "$work/lines"
}
