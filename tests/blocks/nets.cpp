#include "tests/blocks/nets.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "tests/blocks/random_blocks.h"

namespace block_tests {

using namespace quern;

namespace {

// Rows of a table in blocks, multiplied with weights in others.
class Net {
   public:
    explicit Net(uint64_t seed) : random_(seed) {
        const BlockFormat &table = drawn_format(), &weights = drawn_format();
        const int64_t unit = std::max(table.elements, weights.elements), depth = unit * drawn(random_, 1, unit < 256 ? 6 : 2);
        depth_ = std::max<int64_t>(depth, 32);
        rows_ = drawn(random_, 1, 40);
        const bool fixed = drawn(random_, 0, 1) != 0, stacked = drawn(random_, 0, 2) == 0;
        const int64_t count = drawn(random_, 1, 9), stack = drawn(random_, 1, 4), across = stacked && drawn(random_, 0, 1) != 0 ? stack : 1;
        const Shape shape = fixed ? Shape::of(Dims{across, count}) : Shape{true, {Dim::of(across), Dim::named("n")}};
        const ValueId ids = graph_.add_value("ids", Type::tensor(DType::i64, shape));
        graph_.inputs = {ids};
        const ValueId x = graph_.add_value("x", Type::tensor(DType::f32, {})), y = graph_.add_value("y", Type::tensor(DType::f32, {}));
        graph_.add_node(need_op(ops::Gather), "rows", {constant("table", table, {rows_, depth_}, 1, across > 1), ids}, {x});
        graph_.add_node(need_op(ops::MatMul), "product", {x, weights_of(weights, stacked ? stack : 0)}, {y});
        graph_.outputs = {y, x};
        infer_types(graph_);
        verify(graph_);
        std::vector<int64_t> items(static_cast<size_t>(across * count));
        for (int64_t& item : items) item = across > 1 && drawn(random_, 0, 1) != 0 ? 0 : drawn(random_, -rows_, rows_ - 1);
        input_ = Tensor::make<int64_t>({across, count}, items);
        rounds_ = weights.quantized();
        product_ = fmt::format("blocks {} {}", rounds_ ? "ggml" : "matmul", weights.name);
    }

    // What differs; "" if nothing does.
    std::string difference() const {
        const auto wanted = run({.reference = true}, 1);
        for (const int threads : {1, 3}) {
            const auto made = run({}, threads);
            if (!same(made[1], wanted[1])) return "other rows of the table";
            if (!near(made[0], wanted[0])) return "a product of real numbers is far from the reference";
        }
        const Profile* profile = &need_profile("ggml");
        const auto codes = run({.mode = Mode::integer, .reference = true, .profile = profile}, 1);
        if (!is_rounded(codes[0], wanted[0], wanted[1])) return "a product of profile ggml is far from that of real numbers";
        for (const int threads : {1, 3})
            if (!same(run({.mode = Mode::integer, .profile = profile, .check_codes = true}, threads)[0], codes[0]) && rounds_)
                return fmt::format("other numbers by profile ggml, {} threads", threads);
        return is_kernel_there();
    }
    const Graph& graph() const { return graph_; }

   private:
    const BlockFormat& drawn_format() {
        const auto all = block_formats();
        for (;;) {
            const BlockFormat& format = all[random_() % all.size()];
            if (format.quantized() || format.bytes == 2) return format;
        }
    }

    // [depth, columns], or so many of them.
    ValueId weights_of(const BlockFormat& format, int64_t stack) {
        const int64_t columns = drawn(random_, 1, 40);
        return stack == 0 ? constant("weights", format, {depth_, columns}, 0) : constant("weights", format, {stack, depth_, columns}, 1);
    }

    // `idle`: the first row is zeros.
    ValueId constant(const std::string& name, const BlockFormat& format, const Dims& dims, int axis, bool idle = false) {
        const ValueId id = graph_.add_value(name, Type::tensor(DType::f32, Shape::of(dims)));
        const auto along = static_cast<size_t>(axis);
        const RandomMatrix matrix(format, count_of(dims) / dims[along], dims[along], true, random_);
        std::vector<std::byte> bytes(matrix.bytes().begin(), matrix.bytes().end());
        if (idle) std::fill_n(bytes.begin(), format.row_bytes(dims[along]), std::byte{});
        graph_.value(id).data = Bytes::copy_of(std::span<const std::byte>(bytes));
        graph_.value(id).enc = block_encoding(format, axis);
        largest_sum_ = largest_sum(format, matrix.view());
        return id;
    }

    // The largest sum of sizes of a matrix's rows.
    static double largest_sum(const BlockFormat& format, const block_kernels::BlockMatrix& matrix) {
        double most = 0;
        std::vector<float> row(static_cast<size_t>(matrix.depth));
        for (int64_t c = 0; c < matrix.columns; ++c) {
            format.decode(matrix.row(c), row.size() / static_cast<size_t>(format.elements), row.data());
            most =
                std::max(most, std::accumulate(row.begin(), row.end(), 0.0, [](double sum, float item) { return sum + std::fabs(item); }));
        }
        return most;
    }

    std::vector<Tensor> run(const CompileOptions& options, int threads) const {
        ThreadPool pool(threads);
        return Session(Program::compile(graph_, options), pool).run(std::vector{input_});
    }

    std::string is_kernel_there() const {
        const auto choices = Program::compile(graph_, {.mode = Mode::integer, .profile = &need_profile("ggml")})->choices();
        if (!choices[0].kernel.starts_with("blocks rows")) return "rows are computed by " + choices[0].kernel;
        return choices[1].kernel == product_ ? "" : "the product is computed by " + choices[1].kernel;
    }

    static bool same(const Tensor& a, const Tensor& b) {
        return a.dims == b.dims && std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0;
    }
    // By the length of the difference, beside that of all numbers.
    static bool near(const Tensor& a, const Tensor& b) {
        double difference = 0, length = 0;
        for (size_t i = 0; i < a.view<float>().size(); ++i) {
            const double x = a.view<float>()[i], y = b.view<float>()[i];
            difference += (x - y) * (x - y), length += y * y;
        }
        return a.dims == b.dims && std::sqrt(difference) <= 1e-5 * std::sqrt(length) + 1e-30;
    }
    // A code of x is half a step of 1/127 of its block's largest number off at most, its scale and the block's sum half a bit of 16-bit
    // numbers.
    bool is_rounded(const Tensor& codes, const Tensor& wanted, const Tensor& x) const {
        double largest = 0, difference = 0;
        for (const float item : x.view<float>()) largest = std::max<double>(largest, std::fabs(item));
        for (size_t i = 0; i < wanted.view<float>().size(); ++i)
            difference = std::max<double>(difference, std::fabs(codes.view<float>()[i] - wanted.view<float>()[i]));
        return codes.dims == wanted.dims && difference <= (0.5 / 127 + 1.0 / 1024) * largest * largest_sum_ + 1e-30;
    }

    Random random_;
    int64_t depth_, rows_;
    Graph graph_;
    Tensor input_;
    bool rounds_ = false;
    double largest_sum_ = 0;  // of the last constant
    std::string product_;
};

}  // namespace

size_t check_nets(uint64_t seed, uint64_t count) {
    size_t wrong = 0;
    for (uint64_t i = 0; i < count; ++i) {
        std::string what;
        try {
            const Net net(seed + i);
            what = net.difference();
        } catch (const Error& error) {
            what = error.what();
        }
        if (what.empty()) continue;
        fmt::print("net of seed {}: {}\n", seed + i, what);
        ++wrong;
    }
    fmt::print("{} nets\n", count);
    return wrong;
}

}  // namespace block_tests
