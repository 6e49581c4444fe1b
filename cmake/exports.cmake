# What libquern.so exports: under QUERN_0 the functions that include/quern declares QUERN_EXPORT, and nothing else of it; under a node that has the
# full version in its name what our own tools and kernel libraries call, which no other program can link against for longer than one release.
# Everything else (templates of the standard library and of what quern is built from) stays inside.
set(exported_names)
file(GLOB exporting_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/quern/*.h)
foreach(header ${exporting_headers})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} declarations REGEX "^QUERN_EXPORT ")
    foreach(declaration ${declarations})
        string(REGEX REPLACE "^.*[ *](quern_[a-z_0-9]+)\\(.*$" "\\1" name "${declaration}")
        string(APPEND exported_names "        ${name};\n")
    endforeach()
endforeach()
set(exports ${CMAKE_BINARY_DIR}/generated/libquern.map)
file(CONFIGURE OUTPUT ${exports} @ONLY CONTENT [[
QUERN_@quern_soversion@ {
    global:
@exported_names@    local:
        *;
};

QUERN_PRIVATE_@PROJECT_VERSION@ {
    global:
        _ZN5quern*; _ZNK5quern*; _ZNR5quern*; _ZNO5quern*; _ZNKR5quern*;
        _ZT?N5quern*; _ZThn*N5quern*; _ZThn*NK5quern*;
        _ZZN5quern*; _ZZNK5quern*; _ZGVN5quern*; _ZGVZN5quern*; _ZGVZNK5quern*; _ZGRN5quern*;
        _ZN6google8protobuf5Arena18CreateMaybeMessageIN5quern*;
};
]])
target_link_options(quern PRIVATE "LINKER:--version-script=${exports}")
set_property(TARGET quern APPEND PROPERTY LINK_DEPENDS ${exports})
