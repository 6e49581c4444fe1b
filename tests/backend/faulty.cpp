// A small back end - Relu, Neg, Abs, Add and Mul on float32, shapes as they come - that goes wrong in one way: option {"fault":
// "crash-execute"}, or QUERN_FAULT in the environment where there are no options. Without one it is sound.
#include <quern/backend.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Floats = std::vector<float>;

thread_local std::string problem;

struct Value {
    std::string name;
    std::vector<int64_t> dims;
    Floats constant;
    bool is_constant = false;
};
struct Step {
    std::string op;
    std::vector<uint64_t> in;
    uint64_t out = 0;
};
struct Program {
    std::vector<Value> values;
    std::vector<Step> steps;
    std::vector<uint64_t> inputs, outputs;
};

// ---- blobs -------------------------------------------------------------------------------------------------------------------------

struct Failure {
    quern_status status;
    std::string text;
};

class Writer {
   public:
    void number(uint64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
    void text(const std::string& t) { number(t.size()), bytes += t; }
    template <class List>
    void numbers(const List& list) {
        number(list.size());
        for (const auto n : list) number(static_cast<uint64_t>(n));
    }
    std::string bytes = "FAULTY01";
};

class Reader {
   public:
    Reader(const void* data, size_t size) : at_(static_cast<const char*>(data)), left_(size) {
        if (!data || size < 8 || std::memcmp(take(8), "FAULTY01", 8) != 0) throw Failure{QUERN_BAD_INPUT, "is no blob of faulty"};
    }
    uint64_t number() {
        uint64_t n;
        std::memcpy(&n, take(sizeof n), sizeof n);
        return n;
    }
    uint64_t number_below(uint64_t limit) {
        const uint64_t n = number();
        if (n >= limit) throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
        return n;
    }
    std::string text() {
        const uint64_t size = number();
        return std::string(take(size), size);
    }
    uint64_t size() { return number_below(left_ + 1); }
    const char* take(uint64_t size) {
        if (size > left_) throw Failure{QUERN_BAD_INPUT, "the blob ends early"};
        const char* here = at_;
        at_ += size, left_ -= size;
        return here;
    }

   private:
    const char* at_;
    uint64_t left_;
};

std::string packed(const Program& program) {
    Writer w;
    w.number(program.values.size());
    for (const Value& v : program.values) {
        w.text(v.name), w.numbers(v.dims), w.number(v.is_constant);
        w.text(std::string(reinterpret_cast<const char*>(v.constant.data()), v.constant.size() * sizeof(float)));
    }
    w.number(program.steps.size());
    for (const Step& s : program.steps) w.text(s.op), w.numbers(s.in), w.number(s.out);
    w.numbers(program.inputs), w.numbers(program.outputs);
    return w.bytes;
}

int64_t count_of(const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    return count;
}

Program unpacked(const void* data, size_t size) {
    Reader r(data, size);
    Program p;
    for (uint64_t left = r.size(); left-- > 0;) {
        Value v;
        v.name = r.text();
        for (uint64_t d = r.size(); d-- > 0;) v.dims.push_back(static_cast<int64_t>(r.number()));
        v.is_constant = r.number() != 0;
        const std::string bytes = r.text();
        v.constant.resize(bytes.size() / sizeof(float));
        if (!v.constant.empty()) std::memcpy(v.constant.data(), bytes.data(), v.constant.size() * sizeof(float));
        for (const int64_t d : v.dims)
            if (d < -1 || d > 1 << 24) throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
        if (v.dims.size() > 8 || (v.is_constant && count_of(v.dims) != static_cast<int64_t>(v.constant.size())))
            throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
        p.values.push_back(std::move(v));
    }
    const auto id = [&] { return r.number_below(p.values.size()); };
    for (uint64_t left = r.size(); left-- > 0;) {
        Step s;
        s.op = r.text();
        for (uint64_t i = r.size(); i-- > 0;) s.in.push_back(id());
        s.out = id();
        const size_t need = s.op == "Add" || s.op == "Mul" ? 2 : 1;
        if (s.in.size() != need) throw Failure{QUERN_BAD_INPUT, "the blob is damaged"};
        p.steps.push_back(std::move(s));
    }
    for (auto* list : {&p.inputs, &p.outputs})
        for (uint64_t i = r.size(); i-- > 0;) list->push_back(id());
    return p;
}

}  // namespace

// ---- objects -----------------------------------------------------------------------------------------------------------------------

struct quern_backend {
    std::string fault;
    bool is(const char* name) const { return fault == name; }
};
struct quern_executable {
    quern_backend* backend;
    Program program;
    std::vector<quern_value> views;
    std::vector<const quern_value*> in, out;
    quern_interface face;
};
struct Buffer {
    std::vector<int64_t> dims;
    float* data = nullptr;
    size_t size = 0;
    bool set = false;
};
struct Link {
    quern_session* from = nullptr;
    size_t output = 0;
    Floats first;  // what it had at first
};

struct quern_session {
    quern_executable* executable;
    std::vector<Buffer> inputs, targets;
    std::vector<Floats> made;  // by value
    std::vector<std::vector<int64_t>> dims;
    std::vector<char> askew;
    bool ran = false;
    std::vector<Link> links{};  // by input
    const quern_backend& backend() const { return *executable->backend; }
};

namespace {

int* volatile nowhere = nullptr;
void crash() { *nowhere = 1; }
void hang() {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}
// What a function does that is to go wrong as "crash-NAME" and its like say.
void go_wrong(const quern_backend& b, const std::string& function) {
    if (b.fault == "crash-" + function) crash();
    if (b.fault == "hang-" + function) hang();
    if (b.fault == "exit-" + function) std::exit(3);
    if (b.fault == "throw-" + function) throw std::runtime_error("the driver threw this");
}

template <class Body>
quern_status answered(const quern_backend* b, const Body& body) {
    try {
        problem.clear();
        body();
        return QUERN_OK;
    } catch (const Failure& failure) {
        problem = b && b->is("no-text") ? "" : failure.text;
        return failure.status;
    }
}

std::string text(const quern_text& t) { return std::string(t.data, t.size); }

// ---- functions ---------------------------------------------------------------------------------------------------------------------

quern_status create(const quern_host*, const char* options, quern_backend** out) {
    return answered(nullptr, [&] {
        auto b = std::make_unique<quern_backend>();
        const char* named = std::getenv("QUERN_FAULT");  // where a tool has no options for back ends
        b->fault = named ? named : "";
        const std::string given = options ? options : "", key = "{\"fault\":";
        if (!given.empty() && given != "{}") {
            const size_t from = given.find('"', given.find(':') + 1), to = given.find('"', from + 1);
            if (given.rfind(key, 0) == 0 && to != given.npos) b->fault = given.substr(from + 1, to - from - 1);
            if (given.rfind(key, 0) != 0 || to == given.npos || (given.substr(to) != "\"}" && !b->is("any-option")))
                throw Failure{QUERN_USAGE, "options: need {\"fault\": NAME}, got " + given};
        }
        go_wrong(*b, "create");
        *out = b.release();
    });
}
void destroy(quern_backend* b) {
    go_wrong(*b, "destroy");
    delete b;
}
const char* last_error(quern_backend*) { return problem.c_str(); }

quern_status devices(quern_backend* b, const quern_device* const** list, size_t* count) {
    static const quern_device device{sizeof device, "faulty0", "a device for tests", 0, 1};
    static const quern_device* const devices[] = {&device};
    return answered(b, [&] {
        go_wrong(*b, "devices");
        *list = devices;
        *count = b->is("wrong-count") ? 1 << 30 : 1;
    });
}

bool is_float(const quern_value* v) { return v && v->dtype == QUERN_FLOAT32 && v->rank >= 0; }

void check_supported(const quern_backend& b, const quern_node& n, const char* options) {
    if (b.is("claims-all")) return;
    const std::string op = text(n.op), mode = options ? options : "";
    const bool two = op == "Add" || op == "Mul";
    if (!text(n.domain).empty() || (!two && op != "Relu" && op != "Neg" && op != "Abs"))
        throw Failure{QUERN_UNSUPPORTED, "operator " + op + " is none of Relu, Neg, Abs, Add, Mul"};
    if (n.input_count != (two ? 2 : 1) || n.output_count != 1) throw Failure{QUERN_UNSUPPORTED, "inputs or outputs"};
    for (size_t i = 0; i < n.input_count; ++i)
        if (!is_float(n.inputs[i])) throw Failure{QUERN_UNSUPPORTED, "an input is not float32 of known rank"};
    if (mode.find("\"float\"") == mode.npos)
        for (const auto& [list, count] : {std::pair{n.inputs, n.input_count}, std::pair{n.outputs, n.output_count}})
            for (size_t i = 0; i < count; ++i)
                if (list[i]->encoding) throw Failure{QUERN_UNSUPPORTED, "quantized values"};
    const quern_value *x = n.inputs[0], *y = n.inputs[n.input_count - 1];
    if (x->constant && x->encoding) throw Failure{QUERN_UNSUPPORTED, "quantized constants"};
    if (y->constant && y->encoding) throw Failure{QUERN_UNSUPPORTED, "quantized constants"};
    if (!two) return;
    bool same = x->rank == y->rank;
    for (int32_t d = 0; same && d < x->rank; ++d) same = x->dims[d] == y->dims[d] && x->dims[d] >= 0;
    if (!same) throw Failure{QUERN_UNSUPPORTED, "shapes that differ"};
}

quern_status supports(quern_backend* b, const quern_graph*, const quern_node* node, const char* options) {
    return answered(b, [&] {
        go_wrong(*b, "supports");
        check_supported(*b, *node, options);
    });
}

Program program_of(const quern_graph& graph) {
    Program p;
    std::vector<const quern_value*> known;
    const auto id = [&](const quern_value* v) {
        for (size_t i = 0; i < known.size(); ++i)
            if (known[i] == v) return static_cast<uint64_t>(i);
        known.push_back(v);
        Value own{text(v->name), {}, {}, v->constant != nullptr};
        for (int32_t d = 0; d < v->rank; ++d) own.dims.push_back(v->dims[d]);
        if (v->constant && v->constant->dtype == QUERN_FLOAT32) {
            const auto* numbers = static_cast<const float*>(v->constant->data);
            own.constant.assign(numbers, numbers + v->constant->size / sizeof(float));
        }
        p.values.push_back(own);
        return static_cast<uint64_t>(known.size() - 1);
    };
    for (size_t i = 0; i < graph.input_count; ++i) p.inputs.push_back(id(graph.inputs[i]));
    for (size_t n = 0; n < graph.node_count; ++n) {
        const quern_node& node = *graph.nodes[n];
        Step s{text(node.op), {}, 0};
        for (size_t i = 0; i < node.input_count; ++i)
            if (node.inputs[i]) s.in.push_back(id(node.inputs[i]));
        s.in.resize(s.op == "Add" || s.op == "Mul" ? 2 : 1, s.in.empty() ? 0 : s.in[0]);
        s.out = id(node.outputs[0]);
        p.steps.push_back(s);
    }
    for (size_t i = 0; i < graph.output_count; ++i) p.outputs.push_back(id(graph.outputs[i]));
    return p;
}

quern_status compile(quern_backend* b, const quern_graph* graph, const char*, const quern_sink* sink) {
    return answered(b, [&] {
        go_wrong(*b, "compile");
        std::string bytes = packed(program_of(*graph));
        if (b->is("unstable-blob")) {
            const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
            bytes.append(reinterpret_cast<const char*>(&now), sizeof now);
        }
        const quern_status status = sink->write(sink, bytes.data(), bytes.size());
        if (status != QUERN_OK && !b->is("deaf-sink")) throw Failure{status, "the sink takes nothing"};
    });
}

quern_status load(quern_backend* b, const void* blob, size_t size, quern_executable** out) {
    return answered(b, [&] {
        go_wrong(*b, "load");
        if (b->is("trusts-blob") && size < 40) crash();
        auto e = std::make_unique<quern_executable>(quern_executable{b, unpacked(blob, size), {}, {}, {}, {}});
        for (const Value& v : e->program.values) {
            quern_value view{};
            view.struct_size = sizeof view;
            view.name = {v.name.c_str(), v.name.size()};
            view.dtype = b->is("wrong-dtype") ? QUERN_INT32 : QUERN_FLOAT32;
            view.rank = static_cast<int32_t>(v.dims.size());
            view.dims = v.dims.data();
            e->views.push_back(view);
        }
        for (const uint64_t i : e->program.inputs) e->in.push_back(&e->views[i]);
        for (const uint64_t i : e->program.outputs) e->out.push_back(&e->views[i]);
        if (b->is("wrong-ports") && !e->out.empty()) e->out.push_back(e->out[0]);
        e->face = {sizeof(quern_interface), e->in.size(), e->in.data(), e->out.size(), e->out.data()};
        *out = e.release();
    });
}
void unload(quern_executable* e) {
    go_wrong(*e->backend, "unload");
    delete e;
}
quern_status describe(quern_executable* e, const quern_interface** out) {
    return answered(e->backend, [&] {
        go_wrong(*e->backend, "describe");
        *out = &e->face;
    });
}

quern_status open_session(quern_executable* e, const quern_session_options*, quern_session** out) {
    return answered(e->backend, [&] {
        go_wrong(*e->backend, "open");
        const Program& p = e->program;
        *out = new quern_session{
            e,    std::vector<Buffer>(p.inputs.size()), std::vector<Buffer>(p.outputs.size()), std::vector<Floats>(p.values.size()), {}, {},
            false};
        (*out)->dims.resize(p.values.size());
        (*out)->links.resize(p.inputs.size());
    });
}
void close_session(quern_session* s) {
    go_wrong(s->backend(), "close");
    delete s;
}

Buffer checked(const quern_session& s, const Value& value, const quern_buffer& buffer) {
    if (buffer.dtype != QUERN_FLOAT32) throw Failure{QUERN_BAD_INPUT, value.name + ": need float32"};
    Buffer own{{}, static_cast<float*>(buffer.data), buffer.size, true};
    bool fits = buffer.rank == static_cast<int32_t>(value.dims.size());
    for (int32_t d = 0; fits && d < buffer.rank; ++d) {
        own.dims.push_back(buffer.dims[d]);
        fits = value.dims[static_cast<size_t>(d)] < 0 || buffer.dims[d] == value.dims[static_cast<size_t>(d)];
    }
    if (!fits && !s.backend().is("any-shape")) throw Failure{QUERN_BAD_INPUT, value.name + ": another shape"};
    return own;
}

quern_status set_input(quern_session* s, size_t index, const quern_buffer* buffer) {
    return answered(s->executable->backend, [&] {
        const quern_backend& b = s->backend();
        go_wrong(b, "set_input");
        if (index >= s->inputs.size()) throw Failure{QUERN_USAGE, "there is no such input"};
        Buffer own = checked(*s, s->executable->program.values[s->executable->program.inputs[index]], *buffer);
        if (static_cast<size_t>(count_of(own.dims)) * sizeof(float) != own.size || (own.size > 0 && !own.data))
            throw Failure{QUERN_BAD_INPUT, "the buffer does not hold its elements"};
        if (b.is("keeps-input") && s->inputs[index].set) return;  // what the first call gave
        s->inputs[index] = own;
    });
}
quern_status set_output(quern_session* s, size_t index, const quern_buffer* buffer) {
    return answered(s->executable->backend, [&] {
        go_wrong(s->backend(), "set_output");
        if (index >= s->targets.size()) throw Failure{QUERN_USAGE, "there is no such output"};
        if (s->backend().is("keeps-output") && s->targets[index].set) return;
        s->targets[index] = {{}, static_cast<float*>(buffer->data), buffer->size, true};
    });
}

void compute(const Step& step, quern_session& s) {
    const Floats& x = s.made[step.in[0]];
    const Floats& y = s.made[step.in.back()];
    Floats out(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        if (step.op == "Relu") out[i] = x[i] > 0 ? x[i] : 0;
        if (step.op == "Neg") out[i] = -x[i];
        if (step.op == "Abs") out[i] = std::fabs(x[i]);
        if (step.op == "Add") out[i] = x[i] + (i < y.size() ? y[i] : 0);
        if (step.op == "Mul") out[i] = x[i] * (i < y.size() ? y[i] : 0);
    }
    s.dims[step.out] = s.dims[step.in[0]];
    s.made[step.out] = std::move(out);
}

void gather_linked(quern_session& s, size_t i) {
    const Program& p = s.executable->program;
    Link& link = s.links[i];
    const uint64_t made = link.from->executable->program.outputs[link.output];
    if (link.first.empty()) link.first = link.from->made[made];
    s.made[p.inputs[i]] = s.backend().is("links-once") ? link.first : link.from->made[made];
    s.dims[p.inputs[i]] = link.from->dims[made];
}

void gather(quern_session& s) {
    const Program& p = s.executable->program;
    for (size_t v = 0; v < p.values.size(); ++v)
        if (p.values[v].is_constant) s.made[v] = p.values[v].constant, s.dims[v] = p.values[v].dims;
    for (size_t i = 0; i < s.inputs.size(); ++i) {
        if (s.links[i].from) {
            gather_linked(s, i);
            continue;
        }
        const Buffer& in = s.inputs[i];
        if (!in.set && !s.backend().is("runs-unset")) throw Failure{QUERN_USAGE, "input " + std::to_string(i) + " is not set"};
        s.made[p.inputs[i]].assign(in.data, in.data + in.size / sizeof(float));
        s.dims[p.inputs[i]] = in.dims;
    }
}

void deliver(quern_session& s, size_t i) {
    Floats& numbers = s.made[s.executable->program.outputs[i]];
    const quern_backend& b = s.backend();
    if (!numbers.empty()) {
        if (b.is("wrong-value")) numbers.back() += 0.5f + std::fabs(numbers.back());
        if (b.is("nan")) numbers[0] = std::numeric_limits<float>::quiet_NaN();
    }
    const Buffer& to = s.targets[i];
    if (!to.data || b.is("unaligned")) return;
    if (to.size < numbers.size() * sizeof(float)) throw Failure{QUERN_BAD_INPUT, "the output's buffer is too small"};
    std::memcpy(to.data, numbers.data(), numbers.size() * sizeof(float));
    if (b.is("stray-write")) to.data[numbers.size()] = 1;
    if (b.is("stray-before")) to.data[-1] = 1;
}

Floats shared_scratch;
void* volatile leaked = nullptr;

quern_status execute(quern_session* s) {
    return answered(s->executable->backend, [&] {
        const quern_backend& b = s->backend();
        go_wrong(b, "execute");
        gather(*s);
        if (b.is("fails")) throw Failure{QUERN_IO, "the device is gone"};
        if (b.is("no-text")) throw Failure{QUERN_IO, ""};
        if (b.is("empty-crash") && !s->made.empty() && s->made[s->executable->program.inputs.at(0)].empty()) crash();
        if (b.is("leak")) leaked = std::malloc(2000);
        if (b.is("writes-input") && s->inputs[0].size > 0) s->inputs[0].data[0] = 7;
        if (b.is("not-thread-safe")) {
            shared_scratch = s->made[s->executable->program.inputs.at(0)];
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            s->made[s->executable->program.inputs.at(0)] = shared_scratch;
        }
        for (const Step& step : s->executable->program.steps) compute(step, *s);
        for (size_t i = 0; i < s->targets.size(); ++i) deliver(*s, i);
        s->ran = true;
    });
}

quern_status get_output(quern_session* s, size_t index, quern_buffer* buffer) {
    return answered(s->executable->backend, [&] {
        const quern_backend& b = s->backend();
        go_wrong(b, "get_output");
        const Program& p = s->executable->program;
        if (index >= p.outputs.size()) throw Failure{QUERN_USAGE, "there is no such output"};
        if (!s->ran) throw Failure{QUERN_USAGE, "nothing was executed"};
        Floats& numbers = s->made[p.outputs[index]];
        const Buffer& to = s->targets[index];
        buffer->dtype = QUERN_FLOAT32;
        buffer->rank = static_cast<int32_t>(s->dims[p.outputs[index]].size());
        buffer->dims = s->dims[p.outputs[index]].data();
        buffer->data = to.data ? to.data : numbers.data();
        buffer->size = numbers.size() * sizeof(float);
        buffer->grid = nullptr;
        if (!b.is("unaligned")) return;
        s->askew.resize(buffer->size + 1);
        std::memcpy(s->askew.data() + 1, numbers.data(), buffer->size);
        buffer->data = s->askew.data() + 1;
    });
}

quern_status link_input(quern_session* s, size_t index, quern_session* from, size_t output) {
    return answered(s->executable->backend, [&] {
        go_wrong(s->backend(), "link_input");
        if (s->backend().is("any-link") && index >= s->links.size()) return;
        if (index >= s->links.size() || output >= from->targets.size()) throw Failure{QUERN_USAGE, "there is no such input or output"};
        s->links[index] = {from, output, {}};
    });
}
quern_status keep_output(quern_session* s, size_t index) {
    return answered(s->executable->backend, [&] {
        if (index >= s->targets.size()) throw Failure{QUERN_USAGE, "there is no such output"};
    });
}

quern_backend_api table() {
    quern_backend_api t{};
    t.struct_size = sizeof t;
    t.abi = QUERN_BACKEND_ABI;
    t.name = "faulty", t.version = "1", t.doc = "a back end for tests";
    t.create = create, t.destroy = destroy, t.last_error = last_error, t.devices = devices, t.supports = supports, t.compile = compile;
    t.load = load, t.unload = unload, t.describe = describe, t.open = open_session, t.close = close_session;
    t.set_input = set_input, t.set_output = set_output, t.execute = execute, t.get_output = get_output;
    t.link_input = link_input, t.keep_output = keep_output;
    return t;
}

}  // namespace

#ifdef FAULTY_NO_ENTRY
#define quern_backend_entry quern_other_entry
#endif
extern "C" QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static quern_backend_api own = table();
    const char* named = std::getenv("QUERN_FAULT");
    const std::string fault = named ? named : "";
    if (fault == "wrong-abi") own.abi = 99;
    if (fault == "no-function") own.execute = nullptr;
    if (fault == "half-link") own.keep_output = nullptr;
    if (fault == "crash-entry") crash();
    return abi == QUERN_BACKEND_ABI || fault == "any-abi" ? &own : nullptr;
}
