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

# Headers of our FlatBuffers schemas: schema(FOLDER NAME OPTION...).
function(schema folder name)
    set(header ${generated}/formats/${folder}/${name}_generated.h)
    add_custom_command(OUTPUT ${header}
        COMMAND ${FLATC} --cpp --scoped-enums ${ARGN} -I ${CMAKE_SOURCE_DIR} -o ${generated}/formats/${folder}
            ${CMAKE_SOURCE_DIR}/formats/${folder}/${name}.fbs
        DEPENDS ${CMAKE_SOURCE_DIR}/formats/${folder}/${name}.fbs VERBATIM)
    target_sources(quern PRIVATE ${header})
endfunction()
schema(native native --gen-object-api)
schema(context program --gen-object-api)
# Options of foreign operators are read by name: the schemas' names are compiled in.
schema(tflite/file options --reflect-names --keep-prefix)
schema(tflite/file tflite --reflect-names --keep-prefix)
schema(circle circle --reflect-names --keep-prefix)
