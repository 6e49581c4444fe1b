# Public headers that include each other lie side by side, as <quern/...>: installed, and in the build folder for this tree.
set(public_include ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${public_include}/quern)
foreach(header libcore/backend/backend.h libcore/session/quern.h)
    get_filename_component(name ${header} NAME)
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${header} ${public_include}/quern/${name} SYMBOLIC)
endforeach()
set_source_files_properties(libcore/session/session_api.cpp PROPERTIES INCLUDE_DIRECTORIES ${public_include})
install(FILES ${CMAKE_SOURCE_DIR}/libcore/session/quern.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quern)
