# Sources that are compiled together, by cmake/unity.txt (scripts/unity makes it): what they include is read once, and templates that several of
# them use are made once. A source with options or definitions of its own is compiled alone, as are all with -DQUERN_UNITY=OFF.
option(QUERN_UNITY "Compile sources of a folder together" ON)
set(unity_list ${CMAKE_SOURCE_DIR}/cmake/unity.txt)
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${unity_list})
file(STRINGS ${unity_list} unity_batches)

# What runs once for a file, or for what is said of it, and has no loops over elements of tensors that matter: -O1 takes three quarters of the time
# of -O2 there. A batch has sources of one kind (scripts/unity reads this line).
set(quern_run_once "/(formats/(archive|circle|context|foreign|gguf|library|native|onnx|safetensors|shared|sniff|tensorflow|text|tflite|torch|wire)/|libcore/(api|backend|check|cli|codegen|conformance|deploy|passes|place|quantize|report|runs|support|text)/|libcore/quant/(encodings|report)/|libcore/quant/(types/(asked|overrides|recipe|rule|scheme|spell)|ranges/ranges_json|collect/run_log|plan/spell)[a-z_]*\\.cpp|tools/)")

set(quern_few_optimizations -O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # which takes an empty optional for one that is read

# Replaces in VARIABLE, a list of absolute paths, the sources of each batch by one that includes them. FOLDER: where it is written, one for a target.
function(quern_unity variable folder)
    set(left ${${variable}})
    set(made)
    if(NOT QUERN_UNITY)
        set(unity_batches)
    endif()
    foreach(batch ${unity_batches})
        string(REPLACE " " ";" batch ${batch})
        set(together)
        foreach(name ${batch})
            set(source ${CMAKE_SOURCE_DIR}/${name})
            get_source_file_property(options ${source} COMPILE_OPTIONS)
            get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
            if(source IN_LIST left AND NOT options AND NOT definitions)
                list(APPEND together ${name})
            endif()
        endforeach()
        list(LENGTH together count)
        if(count LESS 2)
            continue()
        endif()
        list(GET together 0 first)
        string(REPLACE "/" "_" own ${first})
        set(unit ${CMAKE_BINARY_DIR}/unity/${folder}/${own})
        list(TRANSFORM together PREPEND "#include \"" OUTPUT_VARIABLE text)
        list(TRANSFORM text APPEND "\"\n")
        list(JOIN text "" text)
        file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)  # which leaves a file with the same text as it is
        list(TRANSFORM together PREPEND ${CMAKE_SOURCE_DIR}/)
        list(REMOVE_ITEM left ${together})
        list(APPEND made ${unit})
        if(source MATCHES "${quern_run_once}")
            set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${quern_few_optimizations}")
        endif()
    endforeach()
    foreach(source ${left})
        get_source_file_property(options ${source} COMPILE_OPTIONS)
        if(source MATCHES "${quern_run_once}" AND NOT options)
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${quern_few_optimizations}")
        endif()
    endforeach()
    set(${variable} ${made} ${left} PARENT_SCOPE)
endfunction()

# UBSan's checks of what is unrolled in these keep clang 14 busy for a quarter of an hour; ASan's remain, as calls. Called in each folder with a target
# that compiles them: properties of sources are those of a folder.
function(quern_spare_unrolled)
    if(QUERN_FUZZERS)
        foreach(name blocks/code_loops_avx2 blocks/code_loops_vnni direct/depth_tile direct/tile)
            set_source_files_properties(${CMAKE_SOURCE_DIR}/libcore/kernels/${name}.cpp
                PROPERTIES COMPILE_OPTIONS "-fno-sanitize=undefined;-mllvm;-asan-instrumentation-with-call-threshold=0")
        endforeach()
    endif()
endfunction()
