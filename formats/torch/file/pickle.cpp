// The pickle machine of Python (PEP 3154 and the module pickletools describe its operations), as far as torch.save makes use of it.
#include "formats/torch/file/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "formats/sniff/sniff.h"
#include "formats/torch/file/member.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

using Kind = Pickled::Kind;

constexpr size_t object_limit = 4'000'000;  // made by one pickle
constexpr size_t depth_limit = 64;          // of dictionaries in dictionaries
constexpr size_t rank_limit = 64;           // as PyTorch's

struct StorageRow {
    std::string_view name;
    DType dtype;
};
constexpr std::array storages{
    StorageRow{"FloatStorage", DType::f32},     StorageRow{"DoubleStorage", DType::f64},  StorageRow{"HalfStorage", DType::f16},
    StorageRow{"BFloat16Storage", DType::bf16}, StorageRow{"LongStorage", DType::i64},    StorageRow{"IntStorage", DType::i32},
    StorageRow{"ShortStorage", DType::i16},     StorageRow{"CharStorage", DType::i8},     StorageRow{"ByteStorage", DType::u8},
    StorageRow{"BoolStorage", DType::boolean},  StorageRow{"UntypedStorage", DType::none}};
constexpr std::array dtypes{StorageRow{"float32", DType::f32},       StorageRow{"float64", DType::f64},
                            StorageRow{"float16", DType::f16},       StorageRow{"bfloat16", DType::bf16},
                            StorageRow{"int64", DType::i64},         StorageRow{"int32", DType::i32},
                            StorageRow{"int16", DType::i16},         StorageRow{"int8", DType::i8},
                            StorageRow{"uint8", DType::u8},          StorageRow{"bool", DType::boolean},
                            StorageRow{"uint16", DType::u16},        StorageRow{"uint32", DType::u32},
                            StorageRow{"uint64", DType::u64},        StorageRow{"float8_e4m3fn", DType::f8e4m3fn},
                            StorageRow{"float8_e5m2", DType::f8e5m2}};

template <size_t N>
const StorageRow* row_named(const std::array<StorageRow, N>& rows, std::string_view name) {
    const auto found = std::ranges::find(rows, name, &StorageRow::name);
    return found == rows.end() ? nullptr : &*found;
}

// "torch FloatStorage" -> "FloatStorage"
std::string_view last_word(std::string_view global) { return global.substr(global.rfind(' ') + 1); }

bool allowed(std::string_view name) {
    constexpr std::array plain{"torch._utils _rebuild_tensor_v2",
                               "torch._utils _rebuild_tensor_v3",
                               "torch._utils _rebuild_parameter",
                               "torch._utils _rebuild_parameter_with_state",
                               "collections OrderedDict",
                               "torch Size",
                               "torch device"};
    if (std::ranges::find(plain, name) != plain.end()) return true;
    const bool torch = name.starts_with("torch ") || name.starts_with("torch.storage ");
    return torch && (row_named(storages, last_word(name)) || row_named(dtypes, last_word(name)));
}

class Machine {
   public:
    Machine(std::string_view code, std::function<Bytes(const std::string& key)> storage) : code_(code), storage_(std::move(storage)) {}

    PickledObjects run() {
        for (;;) {
            const auto op = static_cast<unsigned char>(take(1)[0]);
            if (op == '.') break;
            step(op);
        }
        const Pickled* root = pop();
        return {std::move(objects_), root, code_.size()};
    }

   private:
    std::string_view take(size_t size) {
        if (size > code_.size() - at_) throw bad_input("pickle ends at byte {}", code_.size());
        at_ += size;
        return code_.substr(at_ - size, size);
    }
    uint64_t number(size_t size) {
        uint64_t value = 0;
        const std::string_view bytes = take(size);
        for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
        return value;
    }
    std::string line() {
        const size_t end = code_.find('\n', at_);
        if (end == std::string_view::npos) throw bad_input("pickle ends at byte {}", code_.size());
        std::string text(code_.substr(at_, end - at_));
        at_ = end + 1;
        return text;
    }

    Pickled* pop() {
        if (stack_.empty() || !stack_.back()) throw bad_input("pickle takes from an empty stack at byte {}", at_);
        Pickled* top = stack_.back();
        stack_.pop_back();
        return top;
    }
    Pickled& top(Kind kind) {
        if (stack_.empty() || !stack_.back() || stack_.back()->kind != kind)
            throw bad_input("pickle fills something else than it made at byte {}", at_);
        return *stack_.back();
    }
    // What lies above the last mark.
    std::vector<const Pickled*> marked() {
        const auto mark = std::find(stack_.rbegin(), stack_.rend(), nullptr);
        if (mark == stack_.rend()) throw bad_input("pickle has no mark at byte {}", at_);
        std::vector<const Pickled*> items(mark.base(), stack_.end());
        stack_.erase(mark.base() - 1, stack_.end());
        return items;
    }
    Pickled* make(Kind kind) {
        if (objects_.size() >= object_limit) throw unsupported("a pickle of more than {} objects", object_limit);
        objects_.emplace_back().kind = kind;
        return &objects_.back();
    }
    void push(Pickled* object) {
        if (stack_.size() >= object_limit) throw unsupported("a pickle that stacks more than {} objects", object_limit);
        stack_.push_back(object);
    }
    void push_integer(int64_t value) {
        auto object = make(Kind::integer);
        object->integer = value;
        push(object);
    }
    void push_flag(bool value) {
        auto object = make(Kind::boolean);
        object->integer = value;
        push(object);
    }
    void push_text(std::string text) {
        auto object = make(Kind::text);
        object->text = std::move(text);
        push(object);
    }
    void push_tuple(size_t count) {
        auto tuple = make(Kind::list);
        for (size_t i = 0; i < count; ++i) tuple->items.insert(tuple->items.begin(), pop());
        push(tuple);
    }

    // What a short pickle could name again and again.
    void count(size_t members) {
        members_ += members;
        if (members_ > object_limit) throw unsupported("a pickle of more than {} members", object_limit);
    }
    void set_items(Pickled& dict, const std::vector<const Pickled*>& items) {
        if (items.size() % 2 != 0) throw bad_input("pickle has a key without a value at byte {}", at_);
        count(items.size() / 2);
        for (size_t i = 0; i < items.size(); i += 2) dict.members.emplace_back(items[i], items[i + 1]);
    }

    void push_global(const std::string& module, const std::string& name) {
        auto global = make(Kind::global);
        global->text = module + " " + name;
        if (!allowed(global->text))
            throw unsupported("its pickle names {}.{}, which is not executed", escape(module), escape(name))
                .with_hint("tensors and containers of tensors are read: torch.save(model.state_dict(), FILE) writes those");
        push(global);
    }

    // ('storage', class, key, device, elements)
    void push_storage(const Pickled& id) {
        if (id.kind != Kind::list || id.items.size() != 5 || id.items[0]->text != "storage" || id.items[1]->kind != Kind::global ||
            id.items[2]->kind != Kind::text)
            throw bad_input("pickle names something else than a storage beside it at byte {}", at_);
        const StorageRow* row = row_named(storages, last_word(id.items[1]->text));
        if (!row) throw bad_input("pickle has a storage of {}", escape(id.items[1]->text));
        auto storage = make(Kind::storage);
        storage->tensor.dtype = row->dtype;
        storage->tensor.storage = storage_(id.items[2]->text);
        push(storage);
    }

    static Dims dims_of(const Pickled& tuple) {
        Dims dims;
        if (tuple.items.size() > rank_limit) throw bad_input("pickle has a tensor of {} dims", tuple.items.size());
        for (const Pickled* item : tuple.items) {
            if (item->kind != Kind::integer || item->integer < 0) throw bad_input("pickle has a tensor with sizes that are not numbers");
            dims.push_back(item->integer);
        }
        return dims;
    }

    // (storage, offset, sizes, strides, ...[, dtype])
    Pickled* rebuilt(const Pickled& args, bool typed) {
        const size_t least = typed ? 7 : 4;
        if (args.kind != Kind::list || args.items.size() < least || args.items[0]->kind != Kind::storage ||
            args.items[1]->kind != Kind::integer)
            throw bad_input("pickle rebuilds a tensor from something else at byte {}", at_);
        auto tensor = make(Kind::tensor);
        tensor->tensor = args.items[0]->tensor;
        tensor->tensor.offset = args.items[1]->integer;
        tensor->tensor.sizes = dims_of(*args.items[2]);
        tensor->tensor.strides = dims_of(*args.items[3]);
        if (typed) {
            const StorageRow* row = row_named(dtypes, last_word(args.items[6]->text));
            if (!row) throw bad_input("pickle has a tensor of {}", escape(args.items[6]->text));
            tensor->tensor.dtype = row->dtype;
        }
        if (tensor->tensor.dtype == DType::none) throw bad_input("pickle has a tensor without an element type");
        return tensor;
    }

    void reduce() {
        Pickled *args = pop(), *function = pop();
        if (function->kind != Kind::global || args->kind != Kind::list)
            throw bad_input("pickle calls something else than a function at byte {}", at_);
        const std::string& name = function->text;
        if (name.starts_with("torch._utils _rebuild_tensor")) return push(rebuilt(*args, name.ends_with("v3")));
        if (name.starts_with("torch._utils _rebuild_parameter") || name == "torch Size") {
            if (args->items.empty()) throw bad_input("pickle calls {} without what it takes", name);
            return push(const_cast<Pickled*>(args->items[0]));  // of objects_, like all
        }
        if (name == "collections OrderedDict") {
            auto dict = make(Kind::dict);
            for (const Pickled* list : args->items) {
                count(1 + list->items.size());
                for (const Pickled* pair : list->items) set_items(*dict, pair->items);
            }
            return push(dict);
        }
        push(make(Kind::none));  // a device
    }

    void remember(uint64_t index) {
        if (stack_.empty() || !stack_.back()) throw bad_input("pickle remembers nothing at byte {}", at_);
        memo_[index] = stack_.back();
    }
    void recall(uint64_t index) {
        const auto found = memo_.find(index);
        if (found == memo_.end()) throw bad_input("pickle recalls what it has not made at byte {}", at_);
        push(found->second);
    }

    void step(unsigned char op);
    bool step_literal(unsigned char op);
    bool step_container(unsigned char op);

    std::string_view code_;
    std::function<Bytes(const std::string& key)> storage_;
    size_t at_ = 0, members_ = 0;
    std::deque<Pickled> objects_;
    std::vector<Pickled*> stack_;  // nullptr: a mark
    std::map<uint64_t, Pickled*> memo_;
};

bool Machine::step_literal(unsigned char op) {
    switch (op) {
        case 'N': push(make(Kind::none)); return true;
        case 0x88: push_flag(true); return true;
        case 0x89: push_flag(false); return true;
        case 'J': push_integer(static_cast<int32_t>(number(4))); return true;
        case 'K': push_integer(static_cast<int64_t>(number(1))); return true;
        case 'M': push_integer(static_cast<int64_t>(number(2))); return true;
        case 0x8a: {  // LONG1: little-endian, signed
            const auto size = static_cast<size_t>(number(1));
            if (size > 8) throw unsupported("a pickled integer of {} bytes", size);
            const uint64_t value = number(size);
            const auto unused = static_cast<int>(8 * (8 - size));
            push_integer(size == 0 ? 0 : static_cast<int64_t>(value << unused) >> unused);
            return true;
        }
        case 'G': {  // BINFLOAT: big-endian
            auto object = make(Kind::real);
            object->real = std::bit_cast<double>(__builtin_bswap64(number(8)));
            push(object);
            return true;
        }
        case 'X': push_text(std::string(take(static_cast<size_t>(number(4))))); return true;
        case 0x8c: push_text(std::string(take(static_cast<size_t>(number(1))))); return true;
        default: return false;
    }
}

bool Machine::step_container(unsigned char op) {
    switch (op) {
        case ')':
        case ']': push(make(Kind::list)); return true;
        case '}': push(make(Kind::dict)); return true;
        case 0x85: push_tuple(1); return true;
        case 0x86: push_tuple(2); return true;
        case 0x87: push_tuple(3); return true;
        case 't': {
            auto tuple = make(Kind::list);
            tuple->items = marked();
            push(tuple);
            return true;
        }
        case 'a': {
            const Pickled* item = pop();
            top(Kind::list).items.push_back(item);
            return true;
        }
        case 'e': {
            const auto items = marked();
            auto& list = top(Kind::list).items;
            list.insert(list.end(), items.begin(), items.end());
            return true;
        }
        case 's': {
            const Pickled *value = pop(), *key = pop();
            set_items(top(Kind::dict), {key, value});
            return true;
        }
        case 'u': {
            const auto items = marked();
            set_items(top(Kind::dict), items);
            return true;
        }
        default: return false;
    }
}

void Machine::step(unsigned char op) {
    if (step_literal(op) || step_container(op)) return;
    switch (op) {
        case 0x80: {
            if (const uint64_t version = number(1); version > 5) throw unsupported("pickle protocol {}", version);
            return;
        }
        case 0x95: take(8); return;  // a frame
        case '(': stack_.push_back(nullptr); return;
        case '0': pop(); return;
        case 'q': return remember(number(1));
        case 'r': return remember(number(4));
        case 0x94: return remember(memo_.size());
        case 'h': return recall(number(1));
        case 'j': return recall(number(4));
        case 'c': {
            const std::string module = line(), name = line();
            return push_global(module, name);
        }
        case 0x93: {
            const Pickled *name = pop(), *module = pop();
            return push_global(module->text, name->text);
        }
        case 'Q': return push_storage(*pop());
        case 'R': return reduce();
        case 'b': pop(); return;  // attributes of a container, as OrderedDict's _metadata
        default: throw unsupported("operation 0x{:02x} of a pickle at byte {}", op, at_ - 1);
    }
}

class Tensors {
   public:
    explicit Tensors(uint64_t names) : names_(names) {}
    void add(const Pickled& object, const std::string& prefix, size_t depth) {
        if (depth > depth_limit) throw bad_input("dictionaries nest deeper than {} levels", depth_limit);
        for (const auto& [key, item] : object.members) {
            if (++seen_ > object_limit) throw unsupported("more than {} members of dictionaries", object_limit);
            const std::string own = key->kind == Kind::integer ? std::to_string(key->integer) : "";
            const std::string_view last = own.empty() ? std::string_view(key->text) : own;
            if (prefix.size() + last.size() > names_) throw unsupported("its tensors have names that are longer than its pickle together");
            names_ -= prefix.size() + last.size();
            const std::string name = prefix + std::string(last);
            if (item->kind == Kind::tensor) found.emplace_back(name, item->tensor);
            if (item->kind == Kind::dict) add(*item, name + ".", depth + 1);
        }
    }
    std::vector<std::pair<std::string, StoredTensor>> found;

   private:
    size_t seen_ = 0;
    uint64_t names_;  // bytes that may still be taken
};

}  // namespace

PickledObjects read_pickled(const ZipArchive& zip) {
    const std::string root = pickle_root(zip);
    if (root.empty()) throw bad_input("has no data.pkl");
    if (const auto* order = zip.find(root + "byteorder"); order && trim(read_member(zip, *order).text()) != "little")
        throw unsupported("tensors in another byte order than little-endian");
    const Bytes code = read_member(zip, *zip.find(root + "data.pkl"));
    Members members(zip);
    const auto storage = [&](const std::string& key) {
        if (!zip.find(root + "data/" + key)) throw bad_input("has no storage \"{}\"", escape(key));
        return members.read(root + "data/" + key);
    };
    return Machine(code.text(), storage).run();
}

std::vector<std::pair<std::string, StoredTensor>> tensors_of(const PickledObjects& objects) {
    constexpr uint64_t free = 1 << 20;
    Tensors tensors(free + 16 * objects.code_size);
    tensors.add(*objects.root, "", 0);
    return std::move(tensors.found);
}

}  // namespace quern::torch_format
