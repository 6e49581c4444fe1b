#include "libcore/codegen/c/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

// Words in texts and paths: @name@, @MACRO@, @stack@; @libm@ ... is what a package says where the model needs math.h, else nothing.
struct Template {
    std::string_view path, text;
};

struct Package {
    std::string_view name;
    std::string_view headers, sources, example;  // folders
    std::string_view libm;
    std::span<const Template> files;
};

constexpr std::string_view main_text = R"(/* Made by quern: runs @name@ once on made-up inputs and looks at its outputs. */
#include <stdio.h>

#include "@name@_check.h"

int main(void)
{
    const int wrong = @name@_check();
    if (wrong == 0)
        printf("@name@: outputs are as expected\n");
    else
        printf("@name@: %d outputs differ\n", wrong);
    return wrong != 0;
}
)";

constexpr std::array cmake_files{
    Template{"CMakeLists.txt", R"(# Made by quern. The library @name@::@name@, for add_subdirectory and, installed, find_package.
cmake_minimum_required(VERSION 3.13)
project(@name@ VERSION 1.0.0 LANGUAGES C)
include(GNUInstallDirs)

add_library(@name@ STATIC src/@name@.c)
add_library(@name@::@name@ ALIAS @name@)
target_include_directories(@name@ PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(@name@ PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
@libm@
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    enable_testing()
    add_executable(@name@_example examples/main.c examples/@name@_check.c)
    target_link_libraries(@name@_example PRIVATE @name@)
    add_test(NAME @name@ COMMAND @name@_example)
endif()

install(TARGETS @name@ EXPORT @name@ ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/@name@.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT @name@ NAMESPACE @name@:: FILE @name@-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@name@)
)"},
    Template{"examples/main.c", main_text}};

constexpr std::array arduino_files{
    Template{"library.properties", R"(name=@name@
version=1.0.0
author=quern
maintainer=quern
sentence=The neural network @name@ as C.
paragraph=Made by quern: no malloc, weights as constants, working memory in a static array.
category=Data Processing
url=
architectures=*
includes=@name@.h
)"},
    Template{"examples/@name@/@name@.ino", R"(/* Made by quern: runs @name@ once on made-up inputs and looks at its outputs. */
#include <@name@.h>

#include "@name@_check.h"

void setup()
{
    Serial.begin(115200);
    while (!Serial && millis() < 3000) {
    }
    Serial.println(@name@_check() == 0 ? "@name@: outputs are as expected" : "@name@: outputs differ");
}

void loop() {}
)"}};

constexpr std::array zephyr_files{
    Template{"zephyr/module.yml", R"(# Made by quern.
name: @name@
build:
  cmake: .
  kconfig: Kconfig
samples:
  - samples
)"},
    Template{"CMakeLists.txt", R"(# Made by quern.
if(CONFIG_QUERN_@MACRO@)
  zephyr_library()
  zephyr_library_sources(src/@name@.c)
  zephyr_include_directories(include)
endif()
)"},
    Template{"Kconfig", R"(# Made by quern.
config QUERN_@MACRO@
	bool "The neural network @name@"
@libm@	help
	  The functions of @name@.h, which run the network in static memory or in the caller's.
)"},
    Template{"samples/@name@/CMakeLists.txt", R"(# Made by quern.
cmake_minimum_required(VERSION 3.20.0)
list(APPEND ZEPHYR_EXTRA_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/../..)
find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})
project(@name@_sample LANGUAGES C)
target_sources(app PRIVATE src/main.c src/@name@_check.c)
)"},
    Template{"samples/@name@/prj.conf",
             R"(# Made by quern. The stack: what the network takes is estimated, and as much as an empty sample has.
CONFIG_QUERN_@MACRO@=y
CONFIG_MAIN_STACK_SIZE=@stack@
)"},
    Template{"samples/@name@/sample.yaml", R"(# Made by quern.
sample:
  name: @name@
tests:
  sample.@name@:
    harness: console
    harness_config:
      type: one_line
      regex:
        - "@name@: outputs are as expected"
)"},
    Template{"samples/@name@/src/main.c", main_text}};

constexpr std::array pack_files{Template{"quern.@name@.pdsc", R"(<?xml version="1.0" encoding="UTF-8"?>
<package schemaVersion="1.7.7" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance" xs:noNamespaceSchemaLocation="PACK.xsd">
  <vendor>quern</vendor>
  <name>@name@</name>
  <description>The neural network @name@ as C</description>
  <url></url>
  <releases>
    <release version="1.0.0" date="2020-01-01">Made by quern</release>
  </releases>
  <components>
    <component Cclass="Machine Learning" Cgroup="Network" Csub="@name@" Cversion="1.0.0">
      <description>Runs the network in static memory or in the caller's</description>
      <RTE_Components_h>
        #define RTE_QUERN_@MACRO@
      </RTE_Components_h>
      <files>
        <file category="include" name="include/"/>
        <file category="header" name="include/@name@.h"/>
        <file category="source" name="src/@name@.c"/>
        <file category="source" attr="template" select="Run on inputs whose outputs are known" name="examples/main.c"/>
        <file category="source" attr="template" select="Run on inputs whose outputs are known" name="examples/@name@_check.c"/>
        <file category="header" attr="template" select="Run on inputs whose outputs are known" name="examples/@name@_check.h"/>
      </files>
    </component>
  </components>
</package>
)"},
                                Template{"examples/main.c", main_text}};

constexpr std::array packages{
    Package{"cmake", "include", "src", "examples", "target_link_libraries(@name@ PUBLIC m)\n", cmake_files},
    Package{"arduino", "src", "src", "examples/@name@", "", arduino_files},
    Package{"zephyr", "include", "src", "samples/@name@/src", "\tselect REQUIRES_FULL_LIBC\n", zephyr_files},
    Package{"cmsis-pack", "include", "src", "examples", "", pack_files},
};

// That of an empty sample.
constexpr size_t usual_stack = 1024;

Words words_of(const Package& package, const PackageParts& parts) {
    const std::string_view libm = parts.libm ? package.libm : std::string_view();
    return {{"name", parts.name},
            {"MACRO", parts.macro},
            {"stack", fmt::format("{}", (parts.stack + usual_stack + 7) / 8 * 8)},
            {"libm", std::string(libm)}};
}

const Package& need_package(std::string_view name) {
    const auto found = std::ranges::find(packages, name, &Package::name);
    if (found != packages.end()) return *found;
    const std::vector<std::string> names(package_names().begin(), package_names().end());
    throw usage_error("there is no package \"{}\"{}", escape(name), did_you_mean(name, names)).with_hint("one of " + join(names, ", "));
}

}  // namespace

std::span<const std::string_view> package_names() {
    static constexpr auto names = [] {
        std::array<std::string_view, packages.size()> out;
        std::ranges::transform(packages, out.begin(), &Package::name);
        return out;
    }();
    return names;
}

bool is_reserved(std::string_view name) {
    static constexpr std::array<std::string_view, 8> reserved{"all", "app", "c", "clean", "help", "install", "m", "test"};
    return std::ranges::find(reserved, name) != reserved.end();
}

void check_package(std::string_view package) { need_package(package); }

std::vector<ProductFile> package_files(std::string_view package, const PackageParts& parts) {
    const Package& row = need_package(package);
    const Words words = words_of(row, parts);
    const std::string example = replaced(row.example, words);
    std::vector<ProductFile> files{{fmt::format("{}/{}.c", row.sources, parts.name), parts.source},
                                   {fmt::format("{}/{}.h", row.headers, parts.name), parts.header},
                                   {fmt::format("{}/{}_check.c", example, parts.name), parts.check_source},
                                   {fmt::format("{}/{}_check.h", example, parts.name), parts.check_header}};
    for (const Template& file : row.files) files.push_back({replaced(file.path, words), replaced(file.text, words)});
    return files;
}

}  // namespace quern::cgen
