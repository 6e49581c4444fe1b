// onnxruntime's C interface, as far as it is used here: a table of functions that only grows at its end, so that a place in it says which
// function it is. The declarations are our own, from the facts of its public header (MIT): nothing of onnxruntime is
// needed to build this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "libcore/base/error.h"

namespace quern::ort {

// The version of the table that is asked for: that of onnxruntime 1.24, the first that says which provider takes which node.
inline constexpr uint32_t api_version = 24;
inline constexpr const char* min_version = "1.24";

// Its objects.
struct OrtStatus;
struct OrtEnv;
struct OrtSessionOptions;
struct OrtSession;
struct OrtRunOptions;
struct OrtTensorInfo;
struct OrtMemoryInfo;
struct OrtValue;
struct OrtAllocator;
struct OrtEpDevice;
struct OrtCompileOptions;
struct OrtAssignedSubgraph;
struct OrtAssignedNode;

enum class Severity : int32_t { verbose, info, warning, error, fatal };
using LogFunction = void(void* self, Severity severity, const char* category, const char* id, const char* place, const char* text);

struct ApiBase {
    const void* const* (*table)(uint32_t version);  // nullptr: it is older
    const char* (*version)();
};

// A function by its place in the table, and its type.
template <size_t at, class Type>
struct Slot {
    static Type* in(const void* const* table) { return reinterpret_cast<Type*>(const_cast<void*>(table[at])); }
};

namespace slot {
using GetErrorMessage = Slot<2, const char*(const OrtStatus*)>;
using CreateEnvWithCustomLogger = Slot<4, OrtStatus*(LogFunction*, void* self, Severity, const char* id, OrtEnv**)>;
using CreateSessionFromArray = Slot<8, OrtStatus*(OrtEnv*, const void* data, size_t size, const OrtSessionOptions*, OrtSession**)>;
using Run = Slot<9, OrtStatus*(OrtSession*, const OrtRunOptions*, const char* const* input_names, const OrtValue* const* inputs,
                               size_t input_count, const char* const* output_names, size_t output_count, OrtValue** outputs)>;
using CreateSessionOptions = Slot<10, OrtStatus*(OrtSessionOptions**)>;
using SetIntraOpNumThreads = Slot<24, OrtStatus*(OrtSessionOptions*, int)>;
using CreateTensorWithDataAsOrtValue =
    Slot<49, OrtStatus*(const OrtMemoryInfo*, void* data, size_t size, const int64_t* dims, size_t rank, int dtype, OrtValue**)>;
using GetTensorMutableData = Slot<51, OrtStatus*(OrtValue*, void**)>;
using GetTensorElementType = Slot<60, OrtStatus*(const OrtTensorInfo*, int*)>;
using GetDimensionsCount = Slot<61, OrtStatus*(const OrtTensorInfo*, size_t*)>;
using GetDimensions = Slot<62, OrtStatus*(const OrtTensorInfo*, int64_t*, size_t)>;
using GetTensorTypeAndShape = Slot<65, OrtStatus*(const OrtValue*, OrtTensorInfo**)>;
using CreateCpuMemoryInfo = Slot<69, OrtStatus*(int allocator, int memory, OrtMemoryInfo**)>;
using AllocatorFree = Slot<76, OrtStatus*(OrtAllocator*, void*)>;
using GetAllocatorWithDefaultOptions = Slot<78, OrtStatus*(OrtAllocator**)>;
using ReleaseStatus = Slot<93, void(OrtStatus*)>;
using ReleaseMemoryInfo = Slot<94, void(OrtMemoryInfo*)>;
using ReleaseSession = Slot<95, void(OrtSession*)>;
using ReleaseValue = Slot<96, void(OrtValue*)>;
using ReleaseTensorInfo = Slot<99, void(OrtTensorInfo*)>;
using ReleaseSessionOptions = Slot<100, void(OrtSessionOptions*)>;
using AddSessionConfigEntry = Slot<130, OrtStatus*(OrtSessionOptions*, const char* key, const char* text)>;
using GetCompileApi = Slot<294, const void* const*()>;
using RegisterExecutionProviderLibrary = Slot<301, OrtStatus*(OrtEnv*, const char* name, const char* path)>;
using GetEpDevices = Slot<303, OrtStatus*(const OrtEnv*, const OrtEpDevice* const**, size_t*)>;
using AppendExecutionProviderV2 = Slot<304, OrtStatus*(OrtSessionOptions*, OrtEnv*, const OrtEpDevice* const*, size_t count,
                                                       const char* const* keys, const char* const* texts, size_t option_count)>;
using EpDeviceEpName = Slot<312, const char*(const OrtEpDevice*)>;
using GetEpGraphAssignmentInfo = Slot<407, OrtStatus*(const OrtSession*, const OrtAssignedSubgraph* const**, size_t*)>;
using AssignedSubgraphEpName = Slot<408, OrtStatus*(const OrtAssignedSubgraph*, const char**)>;
using AssignedSubgraphNodes = Slot<409, OrtStatus*(const OrtAssignedSubgraph*, const OrtAssignedNode* const**, size_t*)>;
using AssignedNodeName = Slot<410, OrtStatus*(const OrtAssignedNode*, const char**)>;
}  // namespace slot

inline constexpr int enable_all = 99;  // a level of optimization

// The table that makes models with compiled parts. It optimizes nothing unless it is told to.
namespace compile_slot {
using Release = Slot<0, void(OrtCompileOptions*)>;
using FromSessionOptions = Slot<1, OrtStatus*(const OrtEnv*, const OrtSessionOptions*, OrtCompileOptions**)>;
using SetInputModelPath = Slot<2, OrtStatus*(OrtCompileOptions*, const char* path)>;
using SetInputModelFromBuffer = Slot<3, OrtStatus*(OrtCompileOptions*, const void* data, size_t size)>;
using SetOutputModelPath = Slot<4, OrtStatus*(OrtCompileOptions*, const char* path)>;
using SetOutputModelBuffer = Slot<6, OrtStatus*(OrtCompileOptions*, OrtAllocator*, void** data, size_t* size)>;
using SetEpContextEmbedMode = Slot<7, OrtStatus*(OrtCompileOptions*, bool embed)>;
using CompileModel = Slot<8, OrtStatus*(const OrtEnv*, const OrtCompileOptions*)>;
using SetGraphOptimizationLevel = Slot<11, OrtStatus*(OrtCompileOptions*, int level)>;
}  // namespace compile_slot

// Calls of a table; a status that is an error is thrown as Exit::unsupported with its message.
class Table {
   public:
    Table() = default;
    Table(const void* const* own, const void* const* main) : own_(own), main_(main) {}

    template <class S, class... Args>
    auto get(Args... args) const {
        return S::in(own_)(args...);
    }
    template <class S, class... Args>
    void call(Args... args) const {
        check(S::in(own_)(args...));
    }

   private:
    void check(OrtStatus* status) const {
        if (!status) return;
        const std::string text = slot::GetErrorMessage::in(main_)(status);
        slot::ReleaseStatus::in(main_)(status);
        throw unsupported("{}", text);
    }
    const void* const* own_ = nullptr;
    const void* const* main_ = nullptr;  // that of onnxruntime, which has the functions of statuses
};

// An object and the function that frees it.
template <class T>
using Held = std::unique_ptr<T, void (*)(T*)>;

}  // namespace quern::ort
