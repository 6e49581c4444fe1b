# The header of operators by identity, node.is(ops::Conv), from the rows of libcore/ops, so that a misspelt name does not compile.
# A row `Op{.name = "X", .domain = "d"` is of that domain, without one of ai.onnx's; what a function makes, `binary("X"` or
# `elementwise({.name = "X"`, is of the domain of its folder. Run while quern is built, after a change of a row; the header changes when a name does.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(folders onnx attention recurrent ml microsoft quern)
    list(TRANSFORM folders REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/libcore/ops/\\1/*.cpp")
    file(GLOB files CONFIGURE_DEPENDS ${folders})
    set(header ${generated}/libcore/graph/op_ids.h)
    add_custom_command(OUTPUT ${header} COMMAND ${CMAKE_COMMAND} -D OUTPUT=${header} -P ${CMAKE_CURRENT_LIST_FILE} ${files}
        DEPENDS ${files} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
    target_sources(quern PRIVATE ${header})
    target_include_directories(quern PUBLIC ${generated})
    return()
endif()

set(space_of_ai.onnx.preview preview)
set(space_of_ai.onnx.ml ml)
set(space_of_com.microsoft microsoft)
set(space_of_quern own)
foreach(folder onnx attention recurrent)
    set(domain_of_folder_${folder} "")
endforeach()
set(domain_of_folder_ml ai.onnx.ml)
set(domain_of_folder_microsoft com.microsoft)
set(domain_of_folder_quern quern)
math(EXPR last "${CMAKE_ARGC} - 1")
set(entries "")
foreach(i RANGE 5 ${last})
    set(file ${CMAKE_ARGV${i}})
    file(READ ${file} text)
    string(REGEX REPLACE ".*/([a-z]+)/[a-z_0-9]+\\.cpp" "\\1" folder ${file})
    string(REGEX MATCHALL "\n[a-z: ]*(rows{)?(Op{\\.name = |[a-z_]+(<[^\">]*>)?\\(({\\.name = )?)\"[A-Z][A-Za-z0-9]*\"(,\n *\\.domain = [a-z.\"]+)?" rows "${text}")
    foreach(row ${rows})
        string(REGEX REPLACE "[^\"]*\"([A-Za-z0-9]+)\".*" "\\1" name "${row}")
        set(domain "${domain_of_folder_${folder}}")
        if(row MATCHES "domain = \"(.*)\"")
            set(domain "${CMAKE_MATCH_1}")
        elseif(row MATCHES "Op{" AND NOT row MATCHES "domain")
            set(domain "")
        endif()
        list(APPEND entries "${domain}:${name}")
    endforeach()
endforeach()
list(SORT entries)
set(ids "")
set(names "")
foreach(entry ${entries})
    string(REGEX MATCH "^(.*):(.*)$" entry "${entry}")
    set(name ${CMAKE_MATCH_2})
    set(id "inline constexpr OpId ${name}{\"${name}\", \"${CMAKE_MATCH_1}\"};\n")
    if(CMAKE_MATCH_1)
        set(space ${space_of_${CMAKE_MATCH_1}})
        set(id "namespace ${space} {\n${id}}\n")
        set(name "${space}::${name}")
    endif()
    string(APPEND ids "${id}")
    string(APPEND names "    ${name},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made from the rows of libcore/ops by cmake/op_ids.cmake.
#pragma once

#include "libcore/graph/graph.h"

namespace quern::ops {

@ids@
inline constexpr OpId all[] = {
@names@};

}  // namespace quern::ops
]])
