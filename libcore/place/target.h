// Target: what models are placed on - devices, memories, links, what each device can run and what it costs - read from JSON:
//
//     {"kind": "target", "version": 1, "name": "two-npu", "extends": "cpu", "doc": "...", "basis": "estimate: ...", "format": "tflite",
//     "type": "i8",
//      "static_shapes": true, "memories": [{"name": "sram", "bytes": 2097152, "bytes_per_second": 4e9}],
//      "devices": [{"name": "npu-a", "backend": "", "memory": "sram", "stripes": ["rows"], "generic": [CONSTRAINT],
//      "recode_bytes_per_second": 1e9,
//                   "ops": [{"ops": ["Conv", "ConvTranspose"], "constraints": [CONSTRAINT]}],
//                   "costs": [{"op": "Conv", "precision": "int8", "seconds": 2e-6, "macs_per_second": 1e11, "bytes_per_second": 4e9}]}],
//      "links": [{"from": "cpu", "to": "npu-a", "seconds": 1e-5, "bytes_per_second": 1e9}]}
//
// "extends" names a shipped target, or a file beside this one, whose members hold where this one says nothing; memories and devices are
// merged by name, member by member, links by their ends. "format" ("tflite" or "circle") is the file in which models reach the target:
// devices are asked about what stands in such a file (form.h), not about the model as it was read. "type" is the type of quantize
// --list-types that its devices run best: quantize --target takes it, with the rules of the format's runtime. "static_shapes" says that its
// compiler takes no open dims: what is written for it has a batch of 1 where none is given. "decides" ("place" or "compiler") says who
// chooses what goes to a device: times, or the target's compiler, which takes all that it can. "parallel" says that devices and links work
// at the same time. Keys that begin with "_" are comments. The targets that ship are built in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/support/constraint.h"

namespace quern::place {

using namespace support;  // constraints, quantities and units

inline constexpr std::string_view placed_on_key = "placed_on";  // metadata of a placed model: the target's name
inline constexpr std::string_view cpu_device = "cpu";           // the device that every target has and that runs whatever no other does

struct Memory {
    std::string name;
    uint64_t bytes = 0;           // 0: unbounded
    bool cache = false;           // holds parts of what lies in another: nothing is cut or refused for its size
    double bytes_per_second = 0;  // 0: not stated
};

// A transfer takes `seconds` + bytes / `bytes_per_second`. Devices without a link exchange through "cpu".
struct Link {
    std::string from, to;
    double seconds = 0, bytes_per_second = 0;
};

// A call of `op` takes `seconds` + max(macs / macs_per_second, bytes / bytes_per_second); a rate of 0 does not count. The row that
// counts is the first whose operator and precision fit ("*": any).
struct CostRow {
    std::string op;         // "Conv"; "*": the rest
    std::string precision;  // "float", "int8", "int16", "*"
    double seconds = 0, macs_per_second = 0, bytes_per_second = 0;
};

// Operators with the constraints they share. An operator may stand in several: all of them hold.
struct OpSupport {
    std::vector<std::string> ops;
    std::vector<std::string> fused;  // what goes along in the integer unit of one of `ops`, and not alone
    std::vector<Constraint> constraints;
};

// What the library of a device was asked about one graph, and answered: its refusals.
struct LibraryAnswers {
    const Graph* graph;
    std::map<NodeId, std::string> refusals;
};

struct Device {
    std::string name;     // lower case
    std::string backend;  // "cpu", "ref" or a library's name; "": none, it is simulated on ref
    std::string memory;   // its working memory; "": none stated
    std::string weights;  // where the constants of a partition lie while it runs; may be `memory`; "": none stated
    std::vector<Constraint> generic;
    std::vector<OpSupport> ops;  // empty: every operator
    std::vector<CostRow> costs;
    double recode_bytes_per_second = 0;                   // of changing an encoding at a boundary; 0: free
    std::vector<int64_t> tile;                            // it works on whole tiles: tile.h
    bool stripes_rows = false, stripes_channels = false;  // how it runs a unit that its memory does not hold whole: stripes.h

    std::shared_ptr<const LibraryAnswers> library;  // of deploy/ask_libraries.h; none: it was not asked

    bool lists(std::string_view op) const;  // is the operator in `ops`, or `ops` empty?
};

struct Target {
    std::string name, doc;
    std::string basis;              // of its costs: "measured on ...", "estimate: ..."
    std::string format;             // of the files that it takes; "": any
    std::string runtime;            // whose rules encodings follow, by the name of a recipe; "": those of the format
    std::string type;               // that models are quantized to for it; "": none stated
    std::string soc;                // the chip that generators make code for, as their option soc takes it; "": none stated
    bool static_shapes = false;     // its compiler takes files without open dims alone
    bool parallel = false;          // devices and links work at the same time: schedule.h
    bool compiler_decides = false;  // its compiler takes whatever devices can run: times and memory keep nothing from them
    std::vector<Memory> memories;
    std::vector<Device> devices;  // "cpu" is always there
    std::vector<Link> links;
};

bool equal_in_any_case(std::string_view a, std::string_view b);          // names of ASCII
const Device* find_device(const Target& target, std::string_view name);  // in any case; nullptr if there is none
const Memory* find_memory(const Target& target, std::string_view name);
const Link* find_link(const Target& target, std::string_view from, std::string_view to);
std::vector<std::string> device_names(const Target& target);
bool measured(const Target& target);  // does its basis say that the costs are?

}  // namespace quern::place
