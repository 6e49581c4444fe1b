#include "libcore/runs/score.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"
#include "libcore/base/utf.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// Place of the best accepted class among the scores: 0 is the greatest; of equal scores the lower class comes first.
size_t rank_of(std::span<const float> scores, const std::vector<int64_t>& accepted) {
    size_t best = scores.size();
    for (const int64_t label : accepted) {
        const auto own = static_cast<size_t>(label);
        size_t rank = 0;
        for (size_t i = 0; i < scores.size(); ++i) rank += scores[i] > scores[own] || (scores[i] == scores[own] && i < own);
        if (!std::isnan(scores[own])) best = std::min(best, rank);
    }
    return best;
}

void add_rank(Score& score, size_t rank) {
    ++score.scored;
    score.top1 += rank < 1;
    score.top5 += rank < 5;
}

double negative_log_likelihood(std::span<const float> logits, size_t label) {
    const double max = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += portable::exp(logit - max);
    return portable::log(sum) + max - logits[label];
}

void add_tokens(Score& score, const Tensor& output, const Tensor& tokens) {
    const std::vector<int64_t> ids = to_ints(tokens);
    const std::vector<float> logits = to_floats(output);
    const auto classes = static_cast<size_t>(output.dims.empty() ? 0 : output.dims.back());
    if (classes == 0 || logits.size() != ids.size() * classes)
        throw bad_input("next-token: output is {}, need one row of scores for each of {} tokens", to_string(output.dims), ids.size());
    for (size_t t = 0; t + 1 < ids.size(); ++t) {
        if (ids[t + 1] < 0 || ids[t + 1] >= static_cast<int64_t>(classes))
            throw bad_input("token {} is not a class of {}", ids[t + 1], classes);
        const std::span<const float> row(logits.data() + t * classes, classes);
        add_rank(score, rank_of(row, {ids[t + 1]}));
        score.nll += negative_log_likelihood(row, static_cast<size_t>(ids[t + 1]));
    }
}

std::vector<int64_t> parse_cell(const std::string& cell, int64_t offset) {
    std::vector<int64_t> classes;
    for (const std::string& text : split(cell, '|')) {
        const auto number = parse_int(trim(text));
        if (!number || *number < 0 || *number > 1'000'000'000) throw bad_input("label \"{}\" is not a class number", escape(text));
        classes.push_back(*number + offset);
    }
    return classes;
}

}  // namespace

Labels::Labels(const std::string& source, int64_t offset) {
    if (source == "next-token") {
        next_token_ = true;
        return;
    }
    const size_t colon = source.rfind(':');
    const std::string column = colon == std::string::npos ? "label" : source.substr(colon + 1);
    file_ = source.substr(0, colon);
    const Bytes file = map_input(file_);
    at_place(display_name(file_), [&] {
        refuse_other_kind(file.text());
        const Bytes text = as_utf8(file);
        const auto lines = split(text.text(), '\n');
        const auto header = lines.empty() ? std::vector<std::string>{} : split(trim(lines[0]), ',');
        const auto found = std::find(header.begin(), header.end(), column);
        if (found == header.end()) throw bad_input("has no column \"{}\"{}", escape(column), did_you_mean(column, header));
        const auto index = static_cast<size_t>(found - header.begin());
        for (size_t i = 1; i < lines.size(); ++i) {
            if (trim(lines[i]).empty()) continue;
            const auto cells = split(lines[i], ',');
            at_place(fmt::format("line {}", i + 1), [&] {
                classes_.push_back(index < cells.size() ? parse_cell(std::string(trim(cells[index])), offset) : std::vector<int64_t>{});
            });
        }
    });
}

void Labels::check(const SampleSource& source) const {
    if (next_token_ || source.count() == 0) return;
    const uint64_t last = source.count() - 1, taken = source.index(last) + source.results(last);
    if (classes_.size() != source.listed && classes_.size() != taken)
        throw bad_input("{}: has {} label{} for {} sample{}", display_name(file_), classes_.size(), classes_.size() == 1 ? "" : "s",
                        source.listed, source.listed == 1 ? "" : "s");
}

void Labels::add(Score& score, uint64_t row, const Tensor& output, const Tensor* tokens) const {
    if (next_token_) {
        if (!tokens) throw bad_input("next-token: the model has no integer input");
        return add_tokens(score, output, *tokens);
    }
    if (row >= classes_.size()) throw bad_input("{}: has {} labels, sample {} has none", display_name(file_), classes_.size(), row);
    if (classes_[row].empty()) return;
    const std::vector<float> scores = to_floats(output);
    for (const int64_t label : classes_[row])
        if (label < 0 || label >= static_cast<int64_t>(scores.size()))
            throw bad_input("{}: label {} of sample {} is not a class of an output with {}", display_name(file_), label, row,
                            scores.size());
    add_rank(score, rank_of(scores, classes_[row]));
}

}  // namespace quern
