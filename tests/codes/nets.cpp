#include "tests/codes/nets.h"

#include <fmt/core.h>

#include <map>
#include <random>
#include <vector>

#include "formats/format.h"
#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/ops/integer/profile.h"
#include "tests/codes/draw.h"

namespace code_tests {
namespace {

using namespace quern;

class Net : private Draw {
   public:
    explicit Net(uint64_t seed) : Draw(seed) {
        constexpr const char* profiles[] = {"onnx", "tflite", "tflm", "one"};
        profile_ = profiles[number(0, 3)];
        storage_ = chance(75) ? chance(50) ? DType::u8 : DType::i8 : chance(30) ? DType::u16 : DType::i16;
        graph_.metadata[profile_key] = profile_;
        is_image_ = chance(70);
        last_ = chance(40);
        Dims dims{number(1, 2)};
        if (is_image_) {
            const int64_t rank = chance(70) ? 2 : number(1, 3);
            for (int64_t i = 0; i < rank; ++i) dims.push_back(number(1, 9));
            dims.insert(last_ ? dims.end() : dims.begin() + 1, chance(50) ? 4 * number(1, 12) : number(1, 40));
            is_large_ = chance(bits_of(storage_) > 8 ? 6 : 1);
            if (is_large_) dims = last_ ? Dims{1, 64, 64, 8} : Dims{1, 8, 64, 64};  // enough for tables of 16-bit codes
        } else {
            for (int64_t i = number(0, 1); i >= 0; --i) dims.push_back(number(1, 70));
        }
        value_ = encoded("x", dims);
        graph_.inputs = {value_};
        for (int64_t i = number(1, 4); i > 0; --i) grow();
        if (chance(10)) {
            lines(false);
        } else if (chance(10)) {
            ends_ = true;
            is_image_ ? conv() : matrix();
        }
        graph_.outputs = {value_};
    }

    // Verified; throws where what was drawn is no network.
    const Graph& graph() {
        infer_types(graph_);
        verify(graph_);
        return graph_;
    }
    Tensor input() { return codes(storage_, dims_of(graph_.inputs[0])); }
    const Encoding& encoding() const { return *graph_.value(graph_.inputs[0]).enc; }

   private:
    Dims dims_of(ValueId id) const { return *graph_.value(id).type.shape.concrete(); }

    Encoding encoding_of(DType storage, bool symmetric = false) {
        const auto [least, range] = Codes(storage);
        int64_t zero = symmetric ? 0 : least + number(0, range);
        if (!symmetric && chance(30)) zero = least + range * number(0, 1);
        return make_encoding(storage, Tensor::scalar(scale()), from_ints(storage, {}, std::span(&zero, 1)));
    }

    ValueId encoded(const std::string& name, const Dims& dims) {
        const ValueId id = graph_.add_value(name + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        graph_.value(id).enc = encoding_of(storage_);
        return id;
    }

    ValueId result(bool is_encoded) {
        const ValueId id = graph_.add_value("v" + std::to_string(names_++), Type::tensor(DType::f32, {}));
        if (is_encoded) graph_.value(id).enc = encoding_of(storage_);
        return id;
    }

    void add(std::string_view op, std::vector<ValueId> in, Attrs attrs = {}) { value_ = add_at(op, std::move(in), std::move(attrs), true); }
    ValueId add_at(std::string_view op, std::vector<ValueId> in, Attrs attrs, bool is_encoded) {
        const ValueId out = result(is_encoded);
        graph_.add_node(find_op(op), "n" + std::to_string(names_++), std::move(in), {out}, std::move(attrs));
        infer_types(graph_);
        return out;
    }

    // Weights [.., M, ..] with M along `axis`, one scale or one each.
    ValueId weights(const Dims& dims, int axis) {
        const bool is_signed = chance(80), is_wide = bits_of(storage_) > 8 ? chance(30) : chance(3);
        const DType storage = is_wide ? is_signed ? DType::i16 : DType::u16 : is_signed ? DType::i8 : DType::u8;
        const ValueId id = graph_.add_value("w" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        Value& value = graph_.value(id);
        value.data = codes(storage, dims).data;
        const bool is_symmetric = chance(60);
        const auto zero_point = [&] {
            const auto [least, range] = Codes(storage);
            return is_symmetric ? least + (range + 1) / 2 : least + (chance(20) ? range * number(0, 1) : number(0, range));
        };
        if (chance(50)) {
            const int64_t zero = zero_point();
            value.enc = make_encoding(storage, Tensor::scalar(scale()), from_ints(storage, {}, std::span(&zero, 1)));
            return id;
        }
        const auto count = static_cast<size_t>(dims[static_cast<size_t>(axis)]);
        std::vector<float> scales(count);
        const float own = scale();
        for (float& item : scales) item = own * (1 + static_cast<float>(number(0, 100)) / 50);
        std::vector<int64_t> zeros(count);
        for (int64_t& zero : zeros) zero = zero_point();
        value.enc =
            make_encoding(storage, Tensor::vector<float>(scales), from_ints(storage, Dims{static_cast<int64_t>(count)}, zeros), axis);
        return id;
    }

    ValueId bias(ValueId x, ValueId w, int64_t channels) {
        const ValueId id = graph_.add_value("b" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(Dims{channels})));
        Value& value = graph_.value(id);
        std::vector<int64_t> items(static_cast<size_t>(channels));
        for (int64_t& item : items) item = number(-20000, 20000) << number(0, 12);
        const DType storage = bits_of(storage_) > 8 && chance(70) ? DType::i64 : DType::i32;
        value.data = from_ints(storage, Dims{channels}, items).data;
        std::vector<float> scales = to_floats(graph_.value(w).enc->scale);
        for (float& item : scales) item *= to_floats(graph_.value(x).enc->scale)[0];
        const bool each = graph_.value(w).enc->axis >= 0;
        value.enc = make_encoding(storage, each ? Tensor::vector<float>(scales) : Tensor::scalar(scales[0]), {}, each ? 0 : -1);
        return id;
    }

    // A product's real result and the activation behind it, or its encoded one.
    void product(std::string_view op, const std::vector<ValueId>& in, const Attrs& attrs) {
        if (ends_) {
            value_ = add_at(op, in, attrs, false);
            return;
        }
        if (!chance(30)) return add(op, in, attrs);
        const ValueId sum = add_at(op, in, attrs, false);
        if (chance(50)) return add("Relu", {sum});
        std::vector<ValueId> clip{sum};
        for (const float limit : {0.0f, 6.0f}) {
            clip.push_back(graph_.add_value("c" + std::to_string(names_++), Type::tensor(DType::f32, Shape{true, {}})));
            graph_.value(clip.back()).data = Tensor::scalar(limit).data;
        }
        add("Clip", clip);
    }

    void conv() {
        const Dims x = dims_of(value_);
        const auto [w, attrs] = window(x, last_);
        const ValueId filter = weights(w, 0);
        std::vector<ValueId> in{value_, filter};
        if (chance(70)) in.push_back(bias(value_, filter, w[0]));
        product("Conv", in, attrs);
    }

    // Of two spatial dims: profile onnx leaves it real.
    void transposed() {
        const auto [w, attrs] = spread(dims_of(value_), last_);
        const int axis = last_ ? 3 : 1;
        const ValueId filter = weights(w, axis);
        std::vector<ValueId> in{value_, filter};
        if (chance(70)) in.push_back(bias(value_, filter, w[static_cast<size_t>(axis)]));
        product("ConvTranspose", in, attrs);
    }

    void matrix() {
        const Dims x = dims_of(value_);
        const int64_t n = number(1, 50), k = x.back();
        const bool gemm = x.size() == 2 && chance(60), transposed = gemm && chance(50);
        const ValueId w = weights(transposed ? Dims{n, k} : Dims{k, n}, transposed ? 0 : 1);
        std::vector<ValueId> in{value_, w};
        if (gemm && chance(70)) in.push_back(bias(value_, w, n));
        product(gemm ? "Gemm" : "MatMul", in, gemm ? Attrs{{"transB", int64_t{transposed}}} : Attrs{});
    }

    // Of two computed operands.
    void computed_matrix() {
        const Dims x = dims_of(value_);
        const int64_t n = number(1, 40), k = x.back();
        const bool gemm = x.size() == 2 && chance(50), transposed = gemm && chance(50);
        Dims w = transposed ? Dims{n, k} : Dims{k, n};
        if (!gemm && x.size() == 3 && chance(60)) w.insert(w.begin(), x[0]);
        graph_.inputs.push_back(encoded("x", w));
        product(gemm ? "Gemm" : "MatMul", {value_, graph_.inputs.back()}, gemm ? Attrs{{"transB", int64_t{transposed}}} : Attrs{});
    }

    // Numbers that are not quantized, along the last dims.
    void biased() {
        Dims dims = dims_of(value_);
        dims.erase(dims.begin(), dims.begin() + number(1, std::ssize(dims)));
        const ValueId id = graph_.add_value("b" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        for (float& item : items) item = static_cast<float>(number(-1000, 1000)) * 1e-3f;
        graph_.value(id).data = Tensor::make<float>(dims, items).data;
        chance(50) ? add("Add", {value_, id}) : add("Add", {id, value_});
    }

    void pair() {
        Dims dims = dims_of(value_);
        if (chance(30)) dims.erase(dims.begin(), dims.begin() + number(1, std::ssize(dims)));
        for (int64_t& dim : dims)
            if (chance(15)) dim = 1;
        const ValueId other = encoded("x", dims);
        graph_.inputs.push_back(other);
        const int64_t which = number(0, 5);
        std::vector<ValueId> in{value_, other};
        if (chance(30)) std::swap(in[0], in[1]);
        add(which < 3 ? "Add" : which < 5 ? "Mul" : "Sub", in);
    }

    // Of the value itself and of an input, in encodings of their own or in one.
    void concat() {
        const Dims dims = dims_of(value_);
        const int64_t axis = number(0, std::ssize(dims) - 1);
        const bool alike = chance(50);
        Dims others = dims;
        others[static_cast<size_t>(axis)] = number(1, 9);
        std::vector<ValueId> in{value_, encoded("x", others)};
        graph_.inputs.push_back(in.back());
        const Encoding own = *graph_.value(value_).enc;
        if (alike) graph_.value(in.back()).enc = own;
        if (chance(30)) in.push_back(value_);
        add("Concat", in, {{"axis", axis}});
        if (alike) graph_.value(value_).enc = own;
    }

    // As TensorFlow Lite wants them of Softmax.
    Encoding shares() {
        const auto [least, range] = Codes(storage_);
        const int64_t zero = storage_ == DType::i16 ? 0 : least;
        const float scale = storage_ == DType::i16 ? 1.0f / 32768 : 1.0f / static_cast<float>(range + 1);
        return make_encoding(storage_, Tensor::scalar(scale), from_ints(storage_, {}, std::span(&zero, 1)));
    }

    // On real numbers. `is_encoded`: the result has codes.
    void lines(bool is_encoded = true) {
        if (chance(50)) {
            value_ = add_at("Softmax", {value_}, {}, is_encoded);
            if (is_encoded && chance(50)) graph_.value(value_).enc = shares();
            return;
        }
        const Dims x = dims_of(value_);
        const int64_t axis = std::ssize(x) - 1 - number(0, std::min<int64_t>(1, std::ssize(x) - 2));
        std::vector<ValueId> in{value_};
        for (int64_t i = number(1, 2); i > 0; --i) {
            const Dims inner(x.begin() + axis, x.end());
            std::vector<float> items(static_cast<size_t>(count_of(inner)));
            for (float& item : items) item = static_cast<float>(number(-1000, 1000)) * 1e-2f;
            in.push_back(graph_.add_value("s" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(inner))));
            graph_.value(in.back()).data = Tensor::make<float>(inner, items).data;
        }
        value_ = add_at("LayerNormalization", in, {{"axis", axis}}, is_encoded && chance(80));
        if (is_encoded && !graph_.value(value_).enc) add("Softmax", {value_});
    }

    void pool() {
        const Dims x = dims_of(value_);
        const size_t rank = x.size() - 2;
        Attrs layout;
        if (last_) layout["layout"] = std::string("NHWC");
        if (chance(40)) return add("GlobalAveragePool", {value_}, layout);
        const Encoding same = *graph_.value(value_).enc;
        Dims kernel(rank, 1), pads(2 * rank, 0);
        for (size_t i = 0; i < rank; ++i) {
            kernel[i] = number(1, std::min<int64_t>(3, x[(last_ ? 1 : 2) + i]));
            pads[i] = number(0, kernel[i] - 1);
        }
        layout["kernel_shape"] = kernel;
        layout["pads"] = pads;
        if (chance(50)) {
            layout["count_include_pad"] = number(0, 1);
            add("AveragePool", {value_}, layout);
            if (chance(50)) graph_.value(value_).enc = same;
            return;
        }
        add("MaxPool", {value_}, layout);
        graph_.value(value_).enc = same;
    }

    template <class T>
    ValueId constant(const std::vector<T>& items) {
        const Tensor tensor = Tensor::vector<T>(items);
        const ValueId id = graph_.add_value("k" + std::to_string(names_++), Type::tensor(tensor.dtype, Shape::of(tensor.dims)));
        graph_.value(id).data = tensor.data;
        return id;
    }

    // To sizes or by scales; a few times to many numbers of few.
    void resize() {
        const Dims x = dims_of(value_);
        const Encoding own = *graph_.value(value_).enc;
        Attrs attrs = resizing();
        Dims axes, sizes;
        std::vector<float> scales;
        for (size_t i = 0; i + 2 < x.size(); ++i) {
            axes.push_back(static_cast<int64_t>(i) + (last_ ? 1 : 2));
            sizes.push_back(chance(3) ? number(1000, 1500) / (i == 0 ? 1 : 100) : number(1, 20));
            scales.push_back(chance(70) ? static_cast<float>(number(1, 3)) : static_cast<float>(number(50, 250)) / 100);
        }
        attrs["axes"] = axes;
        const ValueId none = ValueId::none;
        add("Resize", chance(50) ? std::vector{value_, none, none, constant(sizes)} : std::vector{value_, none, constant(scales)}, attrs);
        if (chance(70)) graph_.value(value_).enc = own;
    }

    // One that tables are made of.
    void unary() {
        constexpr const char* usual[] = {"Relu", "LeakyRelu", "Abs", "Sqrt", "Sigmoid", "Tanh", "HardSwish", "Elu", "Exp", "Gelu"};
        // What is too small for a table may be computed by kernels on real numbers, which need not agree to the last bit.
        const bool by_table = bits_of(storage_) == 8 || count_of(dims_of(value_)) >= 1 << 15;
        add(usual[number(0, by_table ? 9 : 3)], {value_});
        if (storage_ == DType::i16 && chance(50)) graph_.value(value_).enc = shares();
    }

    void grow() {
        if (chance(is_large_ ? 50 : 15)) return unary();
        const int64_t which = number(0, 10);
        if (which == 0) return chance(70) ? pair() : biased();
        if (which == 9 && is_image_) return resize();
        if (which == 10) return chance(60) ? lines() : concat();
        if (!is_image_) return chance(75) ? matrix() : computed_matrix();
        if (which < 3) return pool();
        which < 5 && dims_of(value_).size() == 4 && profile_ != "onnx" ? transposed() : conv();
    }

    Graph graph_;
    ValueId value_;
    DType storage_;
    std::string profile_;
    bool is_image_, last_;
    bool is_large_ = false;
    bool ends_ = false;  // in a product with a real result
    int names_ = 0;
};

struct Counts {
    size_t steps = 0, by_kernels = 0, wrong = 0, refused = 0;
    std::map<std::string, size_t> kernels;  // how many steps each computed
};

std::vector<Stored> run(const Graph& graph, const CompileOptions& options, const std::vector<Stored>& inputs, int threads, Counts* counts) {
    ThreadPool pool(threads);
    const auto program = Program::compile(graph, options);
    if (counts)
        for (const Choice& choice : program->choices()) {
            ++counts->steps;
            if (!choice.kernel.starts_with("codes") && choice.kernel != "lookup") continue;
            ++counts->by_kernels;
            ++counts->kernels[choice.kernel];
        }
    Session session(program, pool);
    session.run_stored(inputs);
    return session.run_stored(inputs);  // in the planned memory
}

void check(uint64_t seed, Counts& counts) {
    try {
        Net net(seed);
        const Graph& graph = net.graph();
        std::vector<Stored> inputs;
        for (const ValueId id : graph.inputs) {
            std::mt19937_64 random(seed + inputs.size());
            const Encoding& encoding = *graph.value(id).enc;
            std::vector<int64_t> items(static_cast<size_t>(count_of(*graph.value(id).type.shape.concrete())));
            for (int64_t& item : items) item = encoding.qmin + static_cast<int64_t>(random() % (uint64_t{1} << bits_of(encoding.storage)));
            inputs.push_back({from_ints(encoding.storage, *graph.value(id).type.shape.concrete(), items), encoding});
        }
        const std::vector<Stored> wanted = run(graph, {.mode = Mode::integer, .reference = true}, inputs, 1, nullptr);
        for (const int threads : {1, 3}) {
            const std::vector<Stored> got = run(graph, {.mode = Mode::integer}, inputs, threads, threads == 1 ? &counts : nullptr);
            if (identical(got[0].tensor, wanted[0].tensor)) continue;
            fmt::print("seed {}, {} threads: other codes\n{}\n", seed, threads, print_text(graph));
            ++counts.wrong;
            return;
        }
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) fmt::print("seed {}: {}\n", seed, error.what()), ++counts.wrong;
        ++counts.refused;  // a scale that overflows, say
    }
}

}  // namespace

void save_nets(uint64_t seed, uint64_t count, const std::string& folder) {
    for (uint64_t i = seed; i < seed + count; ++i) try {
            Net net(i);
            Model model;
            model.graph = net.graph();
            write_model(model, fmt::format("{}/{}.mlir", folder, i), "text");
        } catch (const Error&) {
        }
}

size_t check_nets(uint64_t seed, uint64_t count) {
    Counts counts;
    for (uint64_t i = 0; i < count; ++i) check(seed + i, counts);
    fmt::print("{} networks, {} refused; {} nodes, {} of them by kernels on codes\n", count, counts.refused, counts.steps,
               counts.by_kernels);
    for (const auto& [kernel, steps] : counts.kernels) fmt::print("  {} {}\n", steps, kernel);
    for (const char* kernel : {"codes transposed conv", "codes resize", "codes resize of numbers", "codes bilinear"})
        if (count >= 500 && !counts.kernels.contains(kernel)) fmt::print("none by \"{}\"\n", kernel), ++counts.wrong;
    const bool too_few = counts.by_kernels * 2 < counts.steps || counts.refused * 10 > count;
    if (too_few) fmt::print("too few of them\n");
    return counts.wrong + (too_few ? 1 : 0);
}

}  // namespace code_tests
