# What `quern completion bash|zsh` prints, which is installed where the shells look for it.
set(rows "")
foreach(shell bash zsh)
    set(script ${CMAKE_SOURCE_DIR}/cmake/completion/quern.bash)
    if(shell STREQUAL zsh)
        set(script ${CMAKE_SOURCE_DIR}/cmake/completion/_quern)
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    file(READ ${script} text)
    string(APPEND rows "    Script{\"${shell}\", R\"quern(${text})quern\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/completion_scripts.h @ONLY CONTENT [[
// Made by cmake/completion.cmake.
#pragma once

#include <array>
#include <string_view>

struct Script {
    std::string_view shell, text;
};
inline constexpr std::array completion_scripts{
@rows@};
]])
target_include_directories(quern_tool PRIVATE ${CMAKE_BINARY_DIR}/generated)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/completion/quern.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quern)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/completion/_quern DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
