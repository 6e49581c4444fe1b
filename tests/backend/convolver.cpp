// A back end of int8 convolutions, with the Relu of their unit, whose numbers are wrong in one way: option {"fault": "pads-swapped"}.
// Without one it is sound. What is wrong with its calls is faulty.cpp's.
#include <quern/backend.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

thread_local std::string problem;

struct Failure {
    quern_status status;
    std::string text;
};

template <class Body>
quern_status answered(const Body& body) {
    try {
        problem.clear();
        body();
        return QUERN_OK;
    } catch (const Failure& failure) {
        problem = failure.text;
        return failure.status;
    }
}

std::string text(const quern_text& t) { return std::string(t.data, t.size); }

// ---- what a blob holds ---------------------------------------------------------------------------------------------------------------

struct Plane {
    std::string name;
    int64_t dims[4];
    float scale;
    int32_t zero;
    int64_t count() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
};
struct Layer {
    uint64_t in, out;
    int64_t weight_dims[4], strides[2], dilations[2], pads[4], group;
    bool relu;
    std::vector<int8_t> weight;
    std::vector<int32_t> bias, weight_zero;
    std::vector<float> factor;  // by channel of the output
};
struct Program {
    std::vector<Plane> planes;
    std::vector<Layer> layers;
    std::vector<uint64_t> inputs, outputs;
};

constexpr char magic[] = "CONVOLV1";

struct Writer {
    std::string bytes = magic;
    template <class T>
    void raw(const T& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class List>
    void list(const List& all) {
        raw(static_cast<uint64_t>(all.size()));
        bytes.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(*all.data()));
    }
};

class Reader {
   public:
    Reader(const void* data, size_t size) : at_(static_cast<const char*>(data)), left_(data ? size : 0) {
        if (left_ < 16 || std::memcmp(at_, magic, 8) != 0) throw Failure{QUERN_BAD_INPUT, "is no blob of convolver"};
        uint64_t sum;
        std::memcpy(&sum, at_ + size - 8, 8);
        if (sum != sum_of(at_, size - 8)) throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
        at_ += 8, left_ -= 16;
    }
    template <class T>
    void raw(T& value) {
        std::memcpy(&value, take(sizeof value), sizeof value);
    }
    template <class List>
    void list(List& all) {
        uint64_t count;
        raw(count);
        if (count > left_ / sizeof(*all.data())) throw Failure{QUERN_BAD_INPUT, "the blob ends early"};
        all.resize(count);
        if (count > 0) std::memcpy(all.data(), take(count * sizeof(*all.data())), count * sizeof(*all.data()));
    }
    static uint64_t sum_of(const char* data, size_t size) {
        uint64_t sum = 0xcbf29ce484222325;
        for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<unsigned char>(data[i])) * 0x100000001b3;
        return sum;
    }

   private:
    const char* take(uint64_t size) {
        if (size > left_) throw Failure{QUERN_BAD_INPUT, "the blob ends early"};
        const char* here = at_;
        at_ += size, left_ -= size;
        return here;
    }
    const char* at_;
    uint64_t left_;
};

template <class Stream, class ProgramT>
void transfer(Stream& stream, ProgramT& program, uint64_t planes, uint64_t layers) {
    program.planes.resize(planes), program.layers.resize(layers);
    for (auto& p : program.planes) stream.list(p.name), stream.raw(p.dims), stream.raw(p.scale), stream.raw(p.zero);
    for (auto& l : program.layers) {
        stream.raw(l.in), stream.raw(l.out), stream.raw(l.weight_dims), stream.raw(l.strides), stream.raw(l.dilations), stream.raw(l.pads);
        stream.raw(l.group), stream.raw(l.relu), stream.list(l.weight), stream.list(l.bias), stream.list(l.weight_zero),
            stream.list(l.factor);
    }
    stream.list(program.inputs), stream.list(program.outputs);
}

std::string packed(Program program) {
    Writer w;
    w.raw(static_cast<uint64_t>(program.planes.size())), w.raw(static_cast<uint64_t>(program.layers.size()));
    transfer(w, program, program.planes.size(), program.layers.size());
    w.raw(Reader::sum_of(w.bytes.data(), w.bytes.size()));
    return w.bytes;
}

Program unpacked(const void* data, size_t size) {
    Reader r(data, size);
    uint64_t planes, layers;
    r.raw(planes), r.raw(layers);
    if (planes > size || layers > size) throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
    Program program;
    transfer(r, program, planes, layers);
    return program;
}

}  // namespace

// ---- objects -------------------------------------------------------------------------------------------------------------------------

struct quern_backend {
    std::string fault;
    bool is(const char* name) const { return fault == name; }
};

namespace {

struct View {
    quern_value value{};
    quern_encoding encoding{};
    quern_tensor scale{}, zero{};
    int8_t zero_code = 0;
};

}  // namespace

struct quern_executable {
    quern_backend* backend;
    Program program;
    std::vector<View> views;
    std::vector<const quern_value*> ports;
    quern_interface face{};
    std::vector<int32_t> arena;  // of one fault
};
struct quern_session {
    quern_executable* executable;
    std::vector<const int8_t*> inputs;
    std::vector<std::vector<int8_t>> made;
    size_t runs = 0;
};

namespace {

// ---- what is taken -------------------------------------------------------------------------------------------------------------------

bool is_plain(const quern_value* v) {
    const quern_encoding* e = v->encoding;
    if (!e || e->kind != QUERN_FIXED || e->storage != QUERN_INT8 || e->axis >= 0 || e->block || v->rank != 4) return false;
    return std::all_of(v->dims, v->dims + 4, [](int64_t d) { return d > 0; });
}
bool holds(const quern_value* v, quern_dtype storage) {
    return v->constant && v->encoding && v->encoding->storage == storage && !v->encoding->block;
}

const quern_attribute* attribute(const quern_node& node, const char* name) {
    for (size_t i = 0; i < node.attribute_count; ++i)
        if (text(node.attributes[i]->name) == name) return node.attributes[i];
    return nullptr;
}

// The nodes of a unit in their order.
std::vector<const quern_node*> unit_of(const quern_graph& graph, const quern_node& node) {
    std::vector<const quern_node*> unit;
    for (size_t i = 0; i < graph.node_count; ++i)
        if (graph.nodes[i] == &node || (node.unit >= 0 && graph.nodes[i]->unit == node.unit)) unit.push_back(graph.nodes[i]);
    return unit;
}

void check_supported(const quern_graph& graph, const quern_node& node, const std::string& options) {
    const auto no = [](const char* why) { throw Failure{QUERN_UNSUPPORTED, why}; };
    if (options.find("\"int\"") == options.npos) no("mode int alone");
    if (options.find("\"profile\"") != options.npos && options.find("\"onnx\"") == options.npos) no("profile onnx alone");
    const std::vector<const quern_node*> unit = unit_of(graph, node);
    const quern_node& conv = *unit.front();
    if (text(conv.op) != "Conv" || unit.size() > 2 || (unit.size() == 2 && text(unit.back()->op) != "Relu"))
        no("Conv, and Relu in its unit, alone");
    if (!is_plain(conv.inputs[0]) || !is_plain(unit.back()->outputs[0])) no("data are not planes of int8");
    if (!holds(conv.inputs[1], QUERN_INT8) || conv.inputs[1]->encoding->axis > 0) no("the weight is not int8");
    if (conv.input_count > 2 && conv.inputs[2] && !holds(conv.inputs[2], QUERN_INT32)) no("the bias is not int32");
    if (const quern_attribute* pad = attribute(conv, "auto_pad"); pad && pad->count && text(pad->texts[0]) != "NOTSET") no("auto_pad");
}

// ---- compile -------------------------------------------------------------------------------------------------------------------------

void read_integers(const quern_node& node, const char* name, int64_t* out, size_t count, int64_t fallback) {
    const quern_attribute* a = attribute(node, name);
    for (size_t i = 0; i < count; ++i) out[i] = a && i < a->count ? a->integers[i] : fallback;
}

Layer layer_of(const quern_node& conv, const quern_value& y, const quern_backend& b) {
    Layer l{};
    const quern_value &x = *conv.inputs[0], &w = *conv.inputs[1];
    std::copy(w.dims, w.dims + 4, l.weight_dims);
    read_integers(conv, "strides", l.strides, 2, 1), read_integers(conv, "dilations", l.dilations, 2, 1);
    read_integers(conv, "pads", l.pads, 4, 0), read_integers(conv, "group", &l.group, 1, 1);
    if (b.is("pads-swapped")) std::swap(l.pads[0], l.pads[2]), std::swap(l.pads[1], l.pads[3]);
    if (b.is("strides-swapped")) std::swap(l.strides[0], l.strides[1]);
    if (b.is("no-dilations")) l.dilations[0] = l.dilations[1] = 1;
    const auto* codes = static_cast<const int8_t*>(w.constant->data);
    l.weight.assign(codes, codes + w.constant->size);
    const auto* scales = static_cast<const float*>(w.encoding->scale->data);
    const float sx = *static_cast<const float*>(x.encoding->scale->data), sy = *static_cast<const float*>(y.encoding->scale->data);
    const auto channels = static_cast<size_t>(w.dims[0]);
    for (size_t c = 0; c < channels; ++c) {
        const size_t at = w.encoding->axis < 0 || b.is("first-channel") ? 0 : b.is("wrong-axis") ? c % static_cast<size_t>(w.dims[1]) : c;
        l.factor.push_back(sx * scales[at] / sy);
        l.weight_zero.push_back(w.encoding->zero ? static_cast<const int8_t*>(w.encoding->zero->data)[at] : 0);
        const bool biased = conv.input_count > 2 && conv.inputs[2] && !(b.is("bias-of-16") && c >= 16);
        l.bias.push_back(biased ? static_cast<const int32_t*>(conv.inputs[2]->constant->data)[c] : 0);
    }
    return l;
}

Program program_of(const quern_graph& graph, const quern_backend& b) {
    Program p;
    std::vector<const quern_value*> known;
    const auto plane = [&](const quern_value* v) -> uint64_t {
        const auto found = std::find(known.begin(), known.end(), v);
        if (found != known.end()) return static_cast<uint64_t>(found - known.begin());
        known.push_back(v);
        Plane own{text(v->name), {}, *static_cast<const float*>(v->encoding->scale->data), 0};
        std::copy(v->dims, v->dims + 4, own.dims);
        if (v->encoding->zero) own.zero = *static_cast<const int8_t*>(v->encoding->zero->data);
        p.planes.push_back(own);
        return known.size() - 1;
    };
    for (size_t i = 0; i < graph.input_count; ++i) p.inputs.push_back(plane(graph.inputs[i]));
    for (size_t i = 0; i < graph.node_count; ++i) {
        if (text(graph.nodes[i]->op) != "Conv") continue;
        const std::vector<const quern_node*> unit = unit_of(graph, *graph.nodes[i]);
        Layer layer = layer_of(*unit.front(), *unit.back()->outputs[0], b);
        layer.in = plane(unit.front()->inputs[0]), layer.out = plane(unit.back()->outputs[0]), layer.relu = unit.size() == 2;
        p.layers.push_back(std::move(layer));
    }
    for (size_t i = 0; i < graph.output_count; ++i) p.outputs.push_back(plane(graph.outputs[i]));
    return p;
}

// ---- compute -------------------------------------------------------------------------------------------------------------------------

int64_t rounded(float x, double exact, const quern_backend& b) {
    if (b.is("ties-away")) return static_cast<int64_t>(std::round(x));
    if (b.is("ties-up")) return static_cast<int64_t>(std::floor(x + 0.5f));
    if (b.is("truncated")) return static_cast<int64_t>(x);
    if (b.is("double-factor")) return static_cast<int64_t>(std::rint(exact));
    return static_cast<int64_t>(std::rint(x));
}

class Convolution {
   public:
    Convolution(const Layer& layer, const Plane& x, const Plane& y, const quern_backend& b) : l_(layer), x_(x), y_(y), b_(b) {}

    int8_t code(const int8_t* in, int64_t n, int64_t c, int64_t h, int64_t w, int32_t before) const {
        const auto channel = static_cast<size_t>(c);
        int64_t sum = static_cast<int64_t>(l_.bias[channel]) + before;
        const int64_t first = one_group_ ? 0 : c / (y_.dims[1] / l_.group) * l_.weight_dims[1];
        for (int64_t k = 0; k < l_.weight_dims[1]; ++k)
            for (int64_t p = 0; p < l_.weight_dims[2]; ++p)
                for (int64_t q = 0; q < l_.weight_dims[3]; ++q) {
                    const int64_t at = ((c * l_.weight_dims[1] + k) * l_.weight_dims[2] + p) * l_.weight_dims[3] + q;
                    const int32_t weight = l_.weight[static_cast<size_t>(at)] - l_.weight_zero[channel];
                    sum += data(in, n, first + k, h * l_.strides[0] - l_.pads[0] + p * l_.dilations[0],
                                w * l_.strides[1] - l_.pads[1] + q * l_.dilations[1]) *
                           weight;
                    if (sums_of_16_) sum = std::clamp<int64_t>(sum, -32768, 32767);
                }
        const float factor = l_.factor[channel];
        int64_t code = rounded(static_cast<float>(sum) * factor, static_cast<double>(sum) * static_cast<double>(factor), b_) + y_.zero;
        const int64_t low = b_.is("least-code") ? -127 : -128;
        if (b_.is("wraps")) return static_cast<int8_t>(code);
        if (l_.relu) code = std::max<int64_t>(code, b_.is("relu-of-codes") ? 0 : y_.zero);
        return static_cast<int8_t>(std::clamp<int64_t>(code, low, 127));
    }

   private:
    int32_t data(const int8_t* in, int64_t n, int64_t c, int64_t h, int64_t w) const {
        if (h < 0 || h >= x_.dims[2] || w < 0 || w >= x_.dims[3]) return pads_of_0_ ? -x_.zero : 0;
        return in[((n * x_.dims[1] + c) * x_.dims[2] + h) * x_.dims[3] + w] - x_.zero;
    }

    const Layer& l_;
    const Plane &x_, &y_;
    const quern_backend& b_;
    const bool one_group_ = b_.is("one-group"), sums_of_16_ = b_.is("sums-of-16"), pads_of_0_ = b_.is("pads-of-0");
};

std::vector<int8_t> everybodys;  // of one fault
size_t runs = 0;                 // of another, which no number shows

void convolve(quern_executable& e, const Layer& l, const int8_t* in, std::vector<int8_t>& out, bool again) {
    const quern_backend& b = *e.backend;
    const Plane &x = e.program.planes[l.in], &y = e.program.planes[l.out];
    const Convolution convolution(l, x, y, b);
    if (b.is("shared-scratch")) everybodys.resize(out.size());
    std::vector<int8_t>& to = b.is("shared-scratch") ? everybodys : out;
    size_t at = 0;
    for (int64_t n = 0; n < y.dims[0]; ++n)
        for (int64_t c = 0; c < y.dims[1]; ++c)
            for (int64_t h = 0; h < y.dims[2]; ++h)
                for (int64_t w = 0; w < y.dims[3]; ++w, ++at) {
                    if (b.is("vector-rest") && w >= 16 && w >= y.dims[3] / 8 * 8) continue;
                    const bool stale = b.is("stale-arena") && again && at + 1 == out.size();
                    to[at] = convolution.code(in, n, c, h, w, stale ? e.arena[0] : 0);
                }
    if (b.is("unlocked-count")) ++runs;
    if (b.is("stale-arena")) e.arena.assign(1, in[0] * 16);
    if (b.is("shared-scratch")) std::copy_n(everybodys.begin(), out.size(), out.begin());
}

// ---- functions -----------------------------------------------------------------------------------------------------------------------

quern_status create(const quern_host*, const char* options, quern_backend** out) {
    return answered([&] {
        auto b = std::make_unique<quern_backend>();
        const std::string given = options ? options : "", key = "{\"fault\":\"";
        if (given.rfind(key, 0) == 0 && given.size() > key.size() + 2 && given.find('"', key.size()) == given.size() - 2)
            b->fault = given.substr(key.size(), given.size() - key.size() - 2);
        else if (!given.empty() && given != "{}")
            throw Failure{QUERN_USAGE, "options: need {\"fault\":\"NAME\"}, got " + given};
        *out = b.release();
    });
}
void destroy(quern_backend* b) { delete b; }
const char* last_error(quern_backend*) { return problem.c_str(); }

quern_status devices(quern_backend*, const quern_device* const** list, size_t* count) {
    static const quern_device device{sizeof device, "convolver0", "a device for tests", 0, 1};
    static const quern_device* const all[] = {&device};
    return *list = all, *count = 1, QUERN_OK;
}
quern_status supports(quern_backend*, const quern_graph* graph, const quern_node* node, const char* options) {
    return answered([&] { check_supported(*graph, *node, options ? options : ""); });
}
quern_status compile(quern_backend* b, const quern_graph* graph, const char*, const quern_sink* sink) {
    return answered([&] {
        const std::string bytes = packed(program_of(*graph, *b));
        if (const quern_status status = sink->write(sink, bytes.data(), bytes.size()); status != QUERN_OK)
            throw Failure{status, "the sink takes nothing"};
    });
}

View view_of(const Plane& plane) {
    View v;
    v.value.struct_size = sizeof v.value;
    v.value.dtype = QUERN_FLOAT32, v.value.rank = 4;
    v.encoding.struct_size = sizeof v.encoding;
    v.encoding.kind = QUERN_FIXED, v.encoding.storage = QUERN_INT8, v.encoding.real = QUERN_FLOAT32, v.encoding.axis = -1;
    v.encoding.qmin = -128, v.encoding.qmax = 127;
    v.zero_code = static_cast<int8_t>(plane.zero);
    v.scale.struct_size = v.zero.struct_size = sizeof v.scale;
    v.scale.dtype = QUERN_FLOAT32, v.zero.dtype = QUERN_INT8;
    v.scale.size = sizeof(float), v.zero.size = 1;
    return v;
}

quern_status load(quern_backend* b, const void* blob, size_t size, quern_executable** out) {
    return answered([&] {
        auto e = std::make_unique<quern_executable>(quern_executable{b, unpacked(blob, size), {}, {}, {}, {}});
        for (const Plane& plane : e->program.planes) e->views.push_back(view_of(plane));
        for (size_t i = 0; i < e->views.size(); ++i) {
            View& v = e->views[i];
            const Plane& plane = e->program.planes[i];
            v.value.name = {plane.name.c_str(), plane.name.size()}, v.value.dims = plane.dims, v.value.encoding = &v.encoding;
            v.scale.data = &plane.scale, v.scale.dims = plane.dims, v.zero.data = &v.zero_code, v.zero.dims = plane.dims;
            v.encoding.scale = &v.scale, v.encoding.zero = &v.zero;
        }
        for (const auto* ids : {&e->program.inputs, &e->program.outputs})
            for (const uint64_t id : *ids) e->ports.push_back(&e->views.at(id).value);
        const size_t inputs = e->program.inputs.size();
        e->face = {sizeof(quern_interface), inputs, e->ports.data(), e->ports.size() - inputs, e->ports.data() + inputs};
        *out = e.release();
    });
}
void unload(quern_executable* e) { delete e; }
quern_status describe(quern_executable* e, const quern_interface** out) { return *out = &e->face, QUERN_OK; }

quern_status open_session(quern_executable* e, const quern_session_options*, quern_session** out) {
    return answered([&] {
        auto s = std::make_unique<quern_session>(quern_session{e, std::vector<const int8_t*>(e->program.inputs.size()), {}, 0});
        for (const Plane& plane : e->program.planes) s->made.emplace_back(static_cast<size_t>(plane.count()));
        *out = s.release();
    });
}
void close_session(quern_session* s) { delete s; }

quern_status set_input(quern_session* s, size_t index, const quern_buffer* buffer) {
    return answered([&] {
        if (index >= s->inputs.size()) throw Failure{QUERN_USAGE, "there is no such input"};
        const Plane& plane = s->executable->program.planes[s->executable->program.inputs[index]];
        if (buffer->dtype != QUERN_INT8 || buffer->rank != 4 || !std::equal(plane.dims, plane.dims + 4, buffer->dims) ||
            buffer->size != static_cast<size_t>(plane.count()))
            throw Failure{QUERN_BAD_INPUT, plane.name + ": another type or shape"};
        s->inputs[index] = static_cast<const int8_t*>(buffer->data);
    });
}

quern_status execute(quern_session* s) {
    return answered([&] {
        const Program& p = s->executable->program;
        for (size_t i = 0; i < s->inputs.size(); ++i) {
            if (!s->inputs[i]) throw Failure{QUERN_USAGE, "input " + std::to_string(i) + " is not set"};
            std::copy_n(s->inputs[i], s->made[p.inputs[i]].size(), s->made[p.inputs[i]].begin());
        }
        for (const Layer& layer : p.layers)
            convolve(*s->executable, layer, s->made[layer.in].data(), s->made[layer.out], !s->executable->arena.empty());
        ++s->runs;
    });
}

quern_status get_output(quern_session* s, size_t index, quern_buffer* buffer) {
    return answered([&] {
        const Program& p = s->executable->program;
        if (index >= p.outputs.size()) throw Failure{QUERN_USAGE, "there is no such output"};
        if (s->runs == 0) throw Failure{QUERN_USAGE, "nothing was executed"};
        std::vector<int8_t>& made = s->made[p.outputs[index]];
        buffer->dtype = QUERN_INT8, buffer->rank = 4, buffer->dims = p.planes[p.outputs[index]].dims;
        buffer->data = made.data(), buffer->size = made.size(), buffer->grid = nullptr;
    });
}

quern_backend_api table() {
    quern_backend_api t{};
    t.struct_size = sizeof t;
    t.abi = QUERN_BACKEND_ABI;
    t.name = "convolver", t.version = "1", t.doc = "a back end for tests";
    t.create = create, t.destroy = destroy, t.last_error = last_error, t.devices = devices, t.supports = supports, t.compile = compile;
    t.load = load, t.unload = unload, t.describe = describe, t.open = open_session, t.close = close_session;
    t.set_input = set_input, t.execute = execute, t.get_output = get_output;
    return t;
}

}  // namespace

extern "C" QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static const quern_backend_api own = table();
    return abi == QUERN_BACKEND_ABI ? &own : nullptr;
}
