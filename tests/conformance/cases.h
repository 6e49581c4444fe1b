// Where the ONNX backend cases are and what group each belongs to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

enum class Group : uint8_t { numeric, training, text, sequence, ml, preview, image, random };
inline constexpr size_t group_count = 8;
std::string_view name_of(Group group);

// Every group but `numeric` is reported apart and has no threshold.
Group group_of(std::string_view case_name);

struct Case {
    std::string name;    // "test_add"
    std::string source;  // "onnx" (the models folder) or "debian"
    std::filesystem::path folder;
    Group group = Group::numeric;
};

// The cases of one source, sorted by name; empty if the source is absent.
std::vector<Case> cases_in(const std::filesystem::path& folder, const std::string& source);
std::vector<Case> debian_cases();
// Unpacks the archive of the models folder into `cache` when it is not there yet.
std::vector<Case> onnx_cases(const std::filesystem::path& models, const std::filesystem::path& cache);

}  // namespace conformance
