#include "libcore/backend/shared_arrays.h"

#include <cstring>
#include <map>

#include "formats/context/program_generated.h"
#include "libcore/backend/program_blob.h"
#include "libcore/base/digest.h"

namespace quern::context_format {
namespace {

using Key = std::pair<std::string, size_t>;  // digest, size

Key key_of(const Bytes& bytes) { return {Digest().update(bytes.data(), bytes.size()).hex(), bytes.size()}; }

// A program as it was compiled, taken apart.
struct Program {
    explicit Program(const Section& section) : outer(section) {
        const Sections own(program_magic, section.parts.at(0));
        graph = own.need("graph");
        plan.reset(flatbuffers::GetRoot<context::Program>(own.need("plan").data())->UnPack());
        const Bytes all = own.need("arrays");
        for (const context::Array& array : plan->arrays) arrays.push_back(all.slice(array.offset(), array.size()));
        for (const Bytes& array : arrays) keys.push_back(key_of(array));
    }

    Section outer;
    Bytes graph;
    std::unique_ptr<context::ProgramT> plan;
    std::vector<Bytes> arrays;
    std::vector<Key> keys;
};

// Arrays one after the other, those of the same bytes once.
class CommonArrays {
   public:
    uint64_t add(const Bytes& bytes, const Key& key) {
        const auto found = known_.find(key);
        if (found != known_.end() && (bytes.empty() || std::memcmp(found->second.second.data(), bytes.data(), bytes.size()) == 0))
            return found->second.first;
        const uint64_t at = size_;
        known_.emplace(key, std::pair(at, bytes));
        size_ += (bytes.size() + 63) / 64 * 64;
        parts.push_back(bytes);
        return at;
    }
    std::vector<Bytes> parts;

   private:
    uint64_t size_ = 0;
    std::map<Key, std::pair<uint64_t, Bytes>> known_;
};

// The plan, with arrays where the common ones have them.
Bytes moved_plan(Program& program, CommonArrays& common) {
    for (size_t i = 0; i < program.arrays.size(); ++i)
        program.plan->arrays[i] = context::Array(common.add(program.arrays[i], program.keys[i]), program.arrays[i].size());
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(context::Program::Pack(builder, program.plan.get()));
    return Bytes::copy(builder.GetBufferPointer(), builder.GetSize());
}

// The programs of one group, behind them their arrays.
void add_group(std::vector<Program*>& group, std::vector<Section>& out) {
    CommonArrays common;
    std::vector<Section> plans;
    plans.reserve(group.size());
    for (Program* program : group) plans.push_back({"plan", 0, {moved_plan(*program, common)}});
    common.parts.push_back(Bytes::own(std::vector<std::byte>(64)));  // sections end at a multiple of 64 bytes
    std::vector<Section> heads(group.size());
    uint64_t behind = 0;  // bytes of the heads behind this one
    for (size_t i = group.size(); i-- > 0;) {
        SpoolFile spool;
        const Section graph{"graph", 0, {group[i]->graph}, true}, arrays{"arrays", 0, common.parts, true, false, behind, true};
        write_sections(program_magic, {plans[i], graph, arrays}, spool.file());
        heads[i] = group[i]->outer;
        heads[i].parts = {spool.finish()};
        heads[i].goes_on = i + 1 < group.size();
        behind += heads[i].parts[0].size();
    }
    heads.back().parts.insert(heads.back().parts.end(), common.parts.begin(), common.parts.end());
    out.insert(out.end(), heads.begin(), heads.end());
}

// For each program the first one that it has large arrays in common with, directly or by others.
std::vector<size_t> groups_of(const std::vector<Program>& programs) {
    std::vector<size_t> group(programs.size());
    std::map<Key, size_t> first;
    for (size_t i = 0; i < programs.size(); ++i) {
        group[i] = i;
        for (const Key& key : programs[i].keys) {
            if (key.second < large_array) continue;
            const auto [entry, fresh] = first.emplace(key, i);
            const size_t from = std::max(group[i], group[entry->second]), to = std::min(group[i], group[entry->second]);
            for (size_t k = 0; k <= i && from != to; ++k)
                if (group[k] == from) group[k] = to;
        }
    }
    return group;
}

}  // namespace

std::vector<Section> with_shared_arrays(const std::vector<Section>& sections) {
    std::vector<Program> programs(sections.begin(), sections.end());
    const std::vector<size_t> group = groups_of(programs);
    std::vector<Section> out;
    for (size_t first = 0; first < programs.size(); ++first) {
        std::vector<Program*> members;
        for (size_t i = first; i < programs.size(); ++i)
            if (group[i] == first) members.push_back(&programs[i]);
        if (members.size() == 1) out.push_back(members[0]->outer);
        if (members.size() > 1) add_group(members, out);
    }
    return out;
}

}  // namespace quern::context_format
