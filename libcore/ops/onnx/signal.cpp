// Fourier transforms and mel weights: DFT STFT MelWeightMatrix. Transforms are computed in float64.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

using Complex = std::complex<double>;

Complex turned(double turns) { return {portable::cos(2 * std::numbers::pi * turns), portable::sin(2 * std::numbers::pi * turns)}; }

// Cooley and Tukey 1965 for a power of two; sign -1: forward. Not scaled.
void transform_power(std::vector<Complex>& x, int sign) {
    const size_t n = x.size();
    for (size_t i = 1, j = 0; i < n; ++i) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    for (size_t length = 2; length <= n; length *= 2) {
        std::vector<Complex> factor(length / 2);
        for (size_t k = 0; k < factor.size(); ++k) factor[k] = turned(sign * static_cast<double>(k) / static_cast<double>(length));
        for (size_t i = 0; i < n; i += length)
            for (size_t k = 0; k < length / 2; ++k) {
                const Complex a = x[i + k], b = x[i + k + length / 2] * factor[k];
                x[i + k] = a + b;
                x[i + k + length / 2] = a - b;
            }
    }
}

// Any length: Bluestein 1970, a convolution with a chirp.
void transform(std::vector<Complex>& x, int sign) {
    const size_t n = x.size();
    if (n < 2) return;
    if ((n & (n - 1)) == 0) return transform_power(x, sign);
    size_t wide = 1;
    while (wide < 2 * n) wide *= 2;
    std::vector<Complex> chirp(n), a(wide), b(wide);
    for (size_t k = 0; k < n; ++k) chirp[k] = turned(sign * static_cast<double>(k * k % (2 * n)) / static_cast<double>(2 * n));
    for (size_t k = 0; k < n; ++k) {
        a[k] = x[k] * chirp[k];
        b[k] = std::conj(chirp[k]);
        if (k) b[wide - k] = b[k];
    }
    transform_power(a, -1);
    transform_power(b, -1);
    for (size_t k = 0; k < wide; ++k) a[k] *= b[k];
    transform_power(a, 1);
    for (size_t k = 0; k < n; ++k) x[k] = a[k] / static_cast<double>(wide) * chirp[k];
}

int64_t one_integer(const Tensor& tensor, std::string_view what) {
    if (tensor.count() != 1) throw bad_input("{} is {}, need one number", what, to_string(tensor.dims));
    return to_ints(tensor)[0];
}

// ---- DFT ---------------------------------------------------------------------------------------------------------------------

constexpr int64_t longest = int64_t{1} << 26;  // of a transform

size_t signal_axis(int64_t axis, size_t rank) {
    const size_t at = normal_axis(axis, rank);
    if (at + 1 == rank) throw bad_input("axis {} is the one of real and imaginary parts", axis);
    return at;
}

void infer_dft(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    const auto axis = known_integers(ctx, 2), length = known_integers(ctx, 1);
    const bool onesided = ctx.integer("onesided") != 0, inverse = ctx.integer("inverse") != 0;
    if (!out.ranked || (ctx.has_in(2) && (!axis || axis->size() != 1)))
        return ctx.set(0, Type::tensor(ctx.dtype(0), out.ranked ? Shape::of_rank(out.rank()) : Shape()));
    Dim& dim = out.dims[signal_axis(axis ? axis->front() : -2, out.rank())];
    if (length && length->size() == 1)
        dim = checked_dim(dim_of_number(length->front()));
    else if (ctx.has_in(1))
        dim = Dim::unknown();
    else if (onesided && inverse)
        dim = dim.known() ? Dim::of(std::max<int64_t>(0, 2 * (dim.value - 1))) : Dim::unknown();
    if (onesided && !inverse) dim = dim.known() ? Dim::of(dim.value / 2 + 1) : Dim::unknown();
    out.dims.back() = Dim::of(onesided && inverse ? 1 : 2);
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}

void eval_dft(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const bool onesided = ctx.integer("onesided") != 0, inverse = ctx.integer("inverse") != 0;
    const size_t axis = signal_axis(ctx.in(2) ? one_integer(*ctx.in(2), "axis") : -2, x.dims.size());
    const int64_t parts = x.dims.back(), held = x.dims[axis];
    if (parts != 1 && parts != 2) throw bad_input("the last dimension is {}, need 1 or 2", parts);
    const int64_t fallback = onesided && inverse ? std::max<int64_t>(0, 2 * (held - 1)) : held;
    const int64_t n = ctx.in(1) ? one_integer(*ctx.in(1), "dft_length") : fallback;
    if (n < 1 || n > longest) throw bad_input("the length of the transform is {}, need one in [1, {}]", n, longest);
    Dims dims = x.dims;
    dims[axis] = onesided && !inverse ? n / 2 + 1 : n;
    dims.back() = onesided && inverse ? 1 : 2;
    check_size(x.dtype, dims);
    const Numbers<double> in(x);
    NumbersOut<double> out(ctx, 0, x.dtype, dims);
    const size_t outer = span_count(dims, 0, axis), inner = span_count(dims, axis + 1, dims.size() - 1);
    const auto in_parts = static_cast<size_t>(parts), out_parts = static_cast<size_t>(dims.back());
    const int64_t bins = onesided && inverse ? n / 2 + 1 : n, used = std::min(held, bins);
    std::vector<Complex> line(static_cast<size_t>(n));
    for (size_t o = 0; o < outer; ++o)
        for (size_t i = 0; i < inner; ++i) {
            std::fill(line.begin(), line.end(), Complex());
            for (int64_t k = 0; k < used; ++k) {
                const size_t at = ((o * static_cast<size_t>(held) + static_cast<size_t>(k)) * inner + i) * in_parts;
                line[static_cast<size_t>(k)] = {in[at], parts == 2 ? in[at + 1] : 0.0};
            }
            if (onesided && inverse)
                for (int64_t k = n / 2 + 1; k < n; ++k) line[static_cast<size_t>(k)] = std::conj(line[static_cast<size_t>(n - k)]);
            transform(line, inverse ? 1 : -1);
            for (size_t k = 0; k < static_cast<size_t>(dims[axis]); ++k) {
                const Complex value = inverse ? line[k] / static_cast<double>(n) : line[k];
                const size_t at = ((o * static_cast<size_t>(dims[axis]) + k) * inner + i) * out_parts;
                out[at] = value.real();
                if (out_parts == 2) out[at + 1] = value.imag();
            }
        }
}

// ---- STFT --------------------------------------------------------------------------------------------------------------------

void infer_stft(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto step = known_integers(ctx, 1), length = known_integers(ctx, 3);
    Dim frame = Dim::unknown(), frames = Dim::unknown();
    if (length && length->size() == 1)
        frame = checked_dim(dim_of_number(length->front()));
    else if (ctx.has_in(2) && ctx.shape(2).ranked && ctx.shape(2).rank() == 1 && !ctx.has_in(3))
        frame = ctx.shape(2).dims[0];
    else if (!ctx.has_in(2) && !ctx.has_in(3) && shape.rank() == 3)
        frame = shape.dims[1];
    if (shape.rank() == 3 && shape.dims[1].known() && frame.known() && step && step->size() == 1 && step->front() > 0 &&
        frame.value <= shape.dims[1].value)
        frames = Dim::of((shape.dims[1].value - frame.value) / step->front() + 1);
    const Dim bins = !frame.known() ? Dim::unknown() : Dim::of(ctx.integer("onesided") != 0 ? frame.value / 2 + 1 : frame.value);
    ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_dims({shape.rank() == 3 ? shape.dims[0] : Dim::unknown(), frames, bins, Dim::of(2)})));
}

void eval_stft(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dims.size() != 3 || (x.dims[2] != 1 && x.dims[2] != 2))
        throw bad_input("signal is {}, need [batch,length,1 or 2]", to_string(x.dims));
    const Tensor *window = ctx.in(2), *given = ctx.in(3);
    const int64_t length = x.dims[1], step = one_integer(ctx.need(1), "frame_step");
    const int64_t frame = given ? one_integer(*given, "frame_length") : window ? window->count() : length;
    if (step < 1 || frame < 1 || frame > length || frame > longest)
        throw bad_input("frames of {} with step {} do not fit a signal of {}", frame, step, length);
    if (window && window->count() != frame) throw bad_input("window has {} elements, need {}", window->count(), frame);
    const int64_t bins = ctx.integer("onesided") != 0 ? frame / 2 + 1 : frame, frames = (length - frame) / step + 1;
    const Dims dims{x.dims[0], frames, bins, 2};
    check_size(x.dtype, dims);
    const Numbers<double> in(x);
    const std::vector<double> weight = window ? to_doubles(*window) : std::vector<double>(static_cast<size_t>(frame), 1.0);
    NumbersOut<double> out(ctx, 0, x.dtype, dims);
    const auto parts = static_cast<size_t>(x.dims[2]);
    std::vector<Complex> line(static_cast<size_t>(frame));
    size_t to = 0;
    for (int64_t row = 0; row < x.dims[0] * frames; ++row) {
        const auto start = static_cast<size_t>(row / frames * length + row % frames * step);
        for (size_t k = 0; k < line.size(); ++k) {
            const size_t at = (start + k) * parts;
            line[k] = Complex(in[at], parts == 2 ? in[at + 1] : 0.0) * weight[k];
        }
        transform(line, -1);
        for (size_t k = 0; k < static_cast<size_t>(bins); ++k) {
            out[to++] = line[k].real();
            out[to++] = line[k].imag();
        }
    }
}

// ---- MelWeightMatrix ---------------------------------------------------------------------------------------------------------

void infer_mel(InferCtx& ctx) {
    const auto bands = known_integers(ctx, 0), length = known_integers(ctx, 1);
    Shape out = Shape::of_rank(2);
    if (length && length->size() == 1 && length->front() >= 0) out.dims[0] = Dim::of(length->front() / 2 + 1);
    if (bands && bands->size() == 1 && bands->front() >= 0) out.dims[1] = Dim::of(bands->front());
    ctx.set(0, Type::tensor(dtype_attr(ctx, "output_datatype", DType::f32), out));
}

double one_real(const Tensor& tensor, std::string_view what) {
    if (tensor.count() != 1) throw bad_input("{} is {}, need one number", what, to_string(tensor.dims));
    return to_doubles(tensor)[0];
}

// The transform bins at which the bands begin, peak and end: equal steps on the mel scale.
std::vector<int64_t> band_edges(int64_t bands, int64_t length, double rate, double low, double high) {
    const auto mel = [](double hertz) { return 2595 * portable::log10(1 + hertz / 700); };
    const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bands + 2);
    std::vector<int64_t> edges;
    for (int64_t i = 0; i < bands + 2; ++i) {
        const double hertz = 700 * (portable::pow(10.0, (first + step * static_cast<double>(i)) / 2595) - 1);
        const double bin = std::floor(static_cast<double>(length + 1) * hertz / rate);
        if (!(bin >= 0 && bin <= static_cast<double>(length / 2))) throw bad_input("{} hertz is outside of the spectrum", hertz);
        edges.push_back(static_cast<int64_t>(bin));
    }
    return edges;
}

void eval_mel(EvalCtx& ctx) {
    const int64_t bands = one_integer(ctx.need(0), "num_mel_bins"), length = one_integer(ctx.need(1), "dft_length");
    const double rate = one_real(ctx.need(2), "sample_rate"), low = one_real(ctx.need(3), "lower_edge_hertz");
    const double high = one_real(ctx.need(4), "upper_edge_hertz");
    if (bands < 1 || bands > longest || length < 1 || length > longest || !(rate > 0) || !(low >= 0) || !(high >= low))
        throw bad_input("{} bands of a transform of {} at {} hertz from {} to {}", bands, length, rate, low, high);
    const DType dtype = need_type(dtype_attr(ctx, "output_datatype", DType::f32), dtypes::numbers, "the output");
    const Dims dims{length / 2 + 1, bands};
    check_size(dtype, dims);
    const auto edges = band_edges(bands, length, rate, low, high);
    NumbersOut<double> out(ctx, 0, dtype, dims);
    std::fill(out.span().begin(), out.span().end(), 0.0);
    for (int64_t band = 0; band < bands; ++band) {
        const int64_t begin = edges[static_cast<size_t>(band)], peak = edges[static_cast<size_t>(band) + 1];
        const int64_t end = edges[static_cast<size_t>(band) + 2];
        const auto at = [&](int64_t bin) -> double& { return out[static_cast<size_t>(bin * bands + band)]; };
        for (int64_t bin = begin; bin < peak; ++bin) at(bin) = static_cast<double>(bin - begin) / static_cast<double>(peak - begin);
        at(peak) = 1;
        for (int64_t bin = peak + 1; bin < end; ++bin) at(bin) = static_cast<double>(end - bin) / static_cast<double>(end - peak);
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array dft_attrs{AttrDef{"inverse", AttrKind::integer, "0"}, AttrDef{"onesided", AttrKind::integer, "0"}};
constexpr std::array stft_attrs{AttrDef{"onesided", AttrKind::integer, "1"}};
constexpr std::array mel_attrs{AttrDef{"output_datatype", AttrKind::integer, "1"}};

constexpr std::array signal_table{
    plain("DFT", {1, 3}, dft_attrs, dtypes::floats, infer_dft, eval_dft, "discrete Fourier transform along an axis", cost_reading),
    plain("STFT", {2, 4}, stft_attrs, dtypes::floats, infer_stft, eval_stft, "Fourier transforms of windowed frames", cost_reading),
    plain("MelWeightMatrix", {5, 5}, mel_attrs, DType::i32 | DType::i64, infer_mel, eval_mel,
          "weights that turn a spectrum into mel bands"),
};

}  // namespace

std::span<const Op> signal_ops() { return signal_table; }

}  // namespace quern
