# Code generated at build time from our own schemas, under ${generated}/formats/..., included by the same path.
set(generated ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated}/formats)
target_include_directories(quern PRIVATE ${generated})

set(onnx_messages ${generated}/formats/onnx/onnx.pb.cc ${generated}/formats/onnx/onnx.pb.h)
add_custom_command(OUTPUT ${onnx_messages}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/formats/onnx
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${generated} formats/onnx/onnx.proto
    DEPENDS ${CMAKE_SOURCE_DIR}/formats/onnx/onnx.proto WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_library(quern_onnx_messages OBJECT ${onnx_messages})
target_include_directories(quern_onnx_messages PUBLIC ${generated} PRIVATE ${Protobuf_INCLUDE_DIRS})
target_compile_features(quern_onnx_messages PRIVATE cxx_std_17)
target_compile_options(quern_onnx_messages PRIVATE -w)
target_link_libraries(quern PRIVATE quern_onnx_messages protobuf::libprotobuf-lite)

# Headers of our FlatBuffers schemas.
set(native_header ${generated}/formats/native/native_generated.h)
add_custom_command(OUTPUT ${native_header}
    COMMAND ${FLATC} --cpp --gen-object-api --scoped-enums -o ${generated}/formats/native ${CMAKE_SOURCE_DIR}/formats/native/native.fbs
    DEPENDS ${CMAKE_SOURCE_DIR}/formats/native/native.fbs VERBATIM)
target_sources(quern PRIVATE ${native_header})
