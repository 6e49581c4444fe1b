// Every row of the operator table on junk: inputs of random number, type and shape, random attributes. A row may compute something or
// refuse with an error that says what is wrong; nothing else.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <new>
#include <random>

#include "libcore/exec/session.h"

using namespace quern;

namespace {

// A short run by default; QUERN_JUNK_TRIES asks for a long one.
int tries_per_row() {
    const char* wish = std::getenv("QUERN_JUNK_TRIES");
    return wish ? std::atoi(wish) : 150;
}

class Junk {
   public:
    explicit Junk(uint32_t seed) : random_(seed) {}

    int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
    bool chance(int percent) { return number(0, 99) < percent; }
    int64_t integer() { return chance(4) ? number(0, 1) * (int64_t{1} << 45) - 1 : number(-3, 5); }

    Dims dims(bool small) {
        Dims out(static_cast<size_t>(number(0, small ? 1 : 5)));
        for (int64_t& dim : out) dim = chance(6) ? 0 : number(1, 4);
        return out;
    }

    DType dtype(const Op& op) {
        for (int i = 0; chance(85) && i < 40; ++i)
            if (const auto wish = static_cast<DType>(number(1, dtype_count - 1)); op.types.has(wish)) return wish;
        constexpr std::array common{DType::f32, DType::i64, DType::boolean, DType::u8, DType::i32, DType::i8, DType::f16, DType::string};
        return common[static_cast<size_t>(number(0, common.size() - 1))];
    }

    Tensor tensor(DType dtype, Dims shape) {
        const auto count = static_cast<size_t>(count_of(shape));
        if (dtype == DType::string) {
            std::vector<std::string> items;
            for (size_t i = 0; i < count; ++i) items.emplace_back(static_cast<size_t>(number(0, 3)), static_cast<char>('a' + number(0, 2)));
            return Tensor::strings(std::move(shape), items);
        }
        if (dtype == DType::c64 || dtype == DType::c128)
            return {dtype, shape, Bytes::own(std::vector<std::byte>(storage_size(dtype, count)))};
        std::vector<int64_t> items(count);
        for (int64_t& item : items) item = is_integer(dtype) ? integer() : number(-3, 5);
        return from_ints(dtype, std::move(shape), items);
    }

    Attr attribute(const AttrDef& def) {
        switch (def.kind) {
            case AttrKind::integer: return integer();
            case AttrKind::real: return static_cast<float>(number(-4, 8)) / 4;
            case AttrKind::text: return text(def);
            case AttrKind::integers: return list<int64_t>([&] { return integer(); });
            case AttrKind::reals: return list<float>([&] { return static_cast<float>(number(-4, 8)) / 4; });
            case AttrKind::texts: return list<std::string>([&] { return text(def); });
            case AttrKind::tensors: return std::vector<Tensor>{tensor(DType::f32, dims(true))};
            case AttrKind::type: return Type::tensor(DType::f32);
            default: return tensor(chance(50) ? DType::f32 : DType::i64, dims(true));
        }
    }

   private:
    std::string text(const AttrDef& def) {
        constexpr std::array<const char*, 14> words{"linear", "nearest", "cubic", "SAME_UPPER", "VALID",     "reflect",       "wrap",
                                                    "edge",   "max",     "mean",  "none",       "ij,jk->ik", "bidirectional", "?"};
        return chance(50) ? std::string(def.fallback) : words[static_cast<size_t>(number(0, words.size() - 1))];
    }
    template <class T, class Fn>
    std::vector<T> list(const Fn& fn) {
        std::vector<T> out(static_cast<size_t>(number(0, 4)));
        for (T& item : out) item = fn();
        return out;
    }
    std::mt19937 random_;
};

void run_once(const Op& op, Junk& junk) {
    Graph graph;
    const auto in_count = static_cast<size_t>(junk.number(op.in.min, std::min<int64_t>(op.in.max, op.in.min + 4)));
    std::vector<ValueId> in, out;
    std::vector<Tensor> data;
    const Dims shared = junk.dims(false);
    const DType dtype = junk.dtype(op);
    for (size_t i = 0; i < in_count; ++i) {
        if (i >= op.in.min && junk.chance(20)) {
            in.push_back(ValueId::none);
            continue;
        }
        const DType own = junk.chance(70) ? dtype : junk.chance(60) ? DType::i64 : junk.dtype(op);
        Tensor tensor = junk.tensor(own, junk.chance(60) ? shared : junk.dims(junk.chance(50)));
        const std::string name = "x" + std::to_string(i);
        if (junk.chance(30)) {
            in.push_back(graph.add_constant(name, tensor));
            continue;
        }
        in.push_back(graph.add_value(name, Type::tensor(own, junk.chance(50) ? Shape::of(tensor.dims) : Shape::unranked())));
        graph.inputs.push_back(in.back());
        data.push_back(std::move(tensor));
    }
    const auto out_count = static_cast<size_t>(junk.number(op.out.min, std::min<int64_t>(op.out.max, op.out.min + 3)));
    for (size_t i = 0; i < out_count; ++i) out.push_back(graph.add_value("y" + std::to_string(i), Type{}));
    graph.outputs = out;
    Attrs attrs;
    for (const AttrDef& def : op.attrs)
        if (def.kind != AttrKind::graph && (def.required || junk.chance(50))) attrs[std::string(def.name)] = junk.attribute(def);
    graph.add_node(&op, "node", in, out, std::move(attrs));
    infer_types(graph);
    verify(graph);
    static ThreadPool pool(1);
    Session session(Program::compile(graph, {.reference = true}), pool);
    const auto result = session.run(data);
    for (size_t i = 0; i < result.size(); ++i) {
        const Type& type = graph.value(out[i]).type;
        if (!result[i].defined()) continue;
        if (type.dtype != DType::none && type.dtype != result[i].dtype)
            throw bug("output {} was to be {} and is {}", i, name_of(type.dtype), name_of(result[i].dtype));
        bool fits = !type.shape.ranked || type.shape.rank() == result[i].dims.size();
        for (size_t d = 0; fits && type.shape.ranked && d < result[i].dims.size(); ++d)
            fits = !type.shape.dims[d].known() || type.shape.dims[d].value == result[i].dims[d];
        if (!fits) throw bug("output {} was to be {} and is {}", i, to_string(type), to_string(result[i].dims));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_compute_or_refuse_whatever_they_get) {
    uint32_t seed = 1;
    for (const Op* op : all_ops()) {
        Junk junk(seed++);
        if (!op->eval || has(op->traits, Trait::control_flow)) continue;
        int computed = 0;
        for (int i = 0; i < tries_per_row(); ++i) {
            try {
                run_once(*op, junk);
                ++computed;
            } catch (const Error& error) {
                BOOST_TEST((error.exit() == Exit::bad_input || error.exit() == Exit::unsupported),
                           op->name << " try " << i << ": " << error.message());
            } catch (const std::bad_alloc&) {  // of a size that the junk asked for
            } catch (const std::exception& error) {
                BOOST_ERROR(op->name << " try " << i << ": " << error.what());
            }
        }
        BOOST_TEST_MESSAGE(op->name << ": " << computed << " computed");
    }
}
