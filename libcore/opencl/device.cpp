#include "libcore/opencl/device.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace quern::opencl {
namespace {

std::string info_text(cl_device_id id, cl_device_info what) {
    size_t size = 0;
    if (clGetDeviceInfo(id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string out(size, '\0');
    if (clGetDeviceInfo(id, what, size, out.data(), nullptr) != CL_SUCCESS) return {};
    out.resize(out.find('\0') == std::string::npos ? size : out.find('\0'));
    return out;
}

template <class T>
T info_number(cl_device_id id, cl_device_info what) {
    T out{};
    return clGetDeviceInfo(id, what, sizeof out, &out, nullptr) == CL_SUCCESS ? out : T{};
}

std::string platform_name(cl_platform_id platform) {
    std::array<char, 256> text{};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, text.size() - 1, text.data(), nullptr);
    return text.data();
}

bool has_word(const std::string& words, std::string_view word) {
    return (" " + words + " ").find(fmt::format(" {} ", word)) != std::string::npos;
}

Found describe(cl_platform_id platform, cl_device_id id) {
    Found out;
    out.id = id;
    out.doc = fmt::format("{} ({})", info_text(id, CL_DEVICE_NAME), platform_name(platform));
    out.driver = info_text(id, CL_DRIVER_VERSION);
    out.memory = info_number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    out.largest_buffer = info_number<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    out.cpu = (info_number<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    const std::string extensions = info_text(id, CL_DEVICE_EXTENSIONS);
    out.dots = has_word(extensions, "cl_khr_integer_dot_product");
    out.abilities.doubles = has_word(extensions, "cl_khr_fp64") || info_number<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    const auto floats = info_number<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
    out.abilities.exact_quotients =
        (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0 && (floats & CL_FP_ROUND_TO_NEAREST) != 0 && (floats & CL_FP_DENORM) != 0;
#ifdef QUERN_CLBLAST
    out.abilities.blas = true;
#endif
    return out;
}

bool is_usable(cl_device_id id) {
    return info_number<cl_bool>(id, CL_DEVICE_AVAILABLE) != CL_FALSE && info_number<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_device_type type) {
    std::array<cl_device_id, 64> ids{};
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, type, ids.size(), ids.data(), &count) != CL_SUCCESS) return {};
    return {ids.begin(), ids.begin() + std::min<size_t>(count, ids.size())};
}

std::vector<Found> all_devices() {
    std::array<cl_platform_id, 64> platforms{};
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(platforms.size(), platforms.data(), &platform_count) != CL_SUCCESS) return {};
    std::vector<Found> out;
    for (const bool cpu : {false, true}) {
        int number = 0;
        for (size_t p = 0; p < std::min<size_t>(platform_count, platforms.size()); ++p)
            for (const cl_device_id id :
                 devices_of(platforms[p], cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) {
                if (!is_usable(id)) continue;
                out.push_back(describe(platforms[p], id));
                out.back().name = fmt::format("{}{}", cpu ? "cpu" : "gpu", number++);
            }
    }
    return out;
}

std::string lower_case(std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

std::string known_devices() {
    std::string out;
    for (const Found& found : found_devices()) out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", found.name, found.doc);
    return out;
}

}  // namespace

void check(cl_int status, std::string_view what) {
    if (status != CL_SUCCESS) throw Failure(QUERN_IO, fmt::format("{}: OpenCL says {}", what, status));
}

const std::vector<Found>& found_devices() {
    static const std::vector<Found> devices = all_devices();
    return devices;
}

const Found& device_named(const std::string& name) {
    const std::vector<Found>& devices = found_devices();
    if (devices.empty()) throw refused("there is no OpenCL device: no driver in /etc/OpenCL/vendors (or OCL_ICD_VENDORS) has one");
    if (name.empty()) return devices.front();
    const auto exact = std::ranges::find(devices, name, &Found::name);
    if (exact != devices.end()) return *exact;
    const Found* found = nullptr;
    for (const Found& device : devices) {
        if (lower_case(device.doc).find(lower_case(name)) == std::string::npos) continue;
        if (found) throw misused("several devices are called \"{}\": {}", name, known_devices());
        found = &device;
    }
    if (!found) throw misused("there is no device \"{}\", but {}", name, known_devices());
    return *found;
}

Device& Device::of(const Found& found) {
    static std::mutex mutex;
    static auto& devices = *new std::map<const Found*, Device*>();  // drivers must not be called while a process ends
    const std::scoped_lock lock(mutex);
    Device*& device = devices[&found];
    if (!device) device = new Device(found);
    return *device;
}

Device::Device(const Found& found) : found_(found) {
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &found.id, nullptr, nullptr, &status);
    check(status, fmt::format("no context on {}", found.name));
}

Queue Device::queue(bool profiling) const {
    cl_int status = CL_SUCCESS;
    Queue out(clCreateCommandQueue(context_, found_.id, profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &status));
    check(status, "no queue");
    return out;
}

Memory Device::memory(size_t bytes) const {
    if (bytes > found_.largest_buffer)
        throw Failure(QUERN_IO,
                      fmt::format("{} has no room for {} bytes in one piece, at most {}", found_.name, bytes, found_.largest_buffer));
    cl_int status = CL_SUCCESS;
    Memory out(clCreateBuffer(context_, CL_MEM_READ_WRITE, std::max<size_t>(bytes, 64), nullptr, &status));
    check(status, fmt::format("no memory for {} bytes on {}", bytes, found_.name));
    return out;
}

Kernel Device::kernel(std::string_view family, const std::string& options) {
    cl_int status = CL_SUCCESS;
    Kernel out(clCreateKernel(program(family, options), "run", &status));
    check(status, fmt::format("no kernel {} {}", family, options));
    return out;
}

cl_program Device::program(std::string_view family, const std::string& options) {
    const std::scoped_lock lock(mutex_);
    cl_program& kept = programs_[{std::string(family), options}];
    if (kept) return kept;
    const std::string text =
        fmt::format("{}{}{}{}", kernel_text("prelude"), kernel_text("functions"), kernel_text("sums"), kernel_text(family));
    const char* start = text.c_str();
    cl_int status = CL_SUCCESS;
    const cl_program made = clCreateProgramWithSource(context_, 1, &start, nullptr, &status);
    check(status, fmt::format("kernel {}", family));
    const std::string all =
        fmt::format("{}{}{}", options, found_.abilities.exact_quotients ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
                    found_.dots ? " -DDOT_PRODUCTS" : "");
    if (clBuildProgram(made, 1, &found_.id, all.c_str(), nullptr, nullptr) != CL_SUCCESS) {
        std::array<char, 4096> log{};
        clGetProgramBuildInfo(made, found_.id, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
        clReleaseProgram(made);
        std::string line = log.data();
        std::ranges::replace(line, '\n', ' ');
        throw Failure(QUERN_INTERNAL, fmt::format("kernel {} {} does not compile on {}: {}", family, options, found_.name, line));
    }
    return kept = made;
}

}  // namespace quern::opencl
