# C++'s half of the benchmark grid: one program for each instruction set (bench/run builds it with each compiler). It
# needs libprotobuf with its protoc, and cargo, which downloads Perfetto's source. Mapbox's protozero takes part if it
# is installed.
find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(HOTPB_BENCH_CARGO cargo)
get_filename_component(repository ${CMAKE_CURRENT_SOURCE_DIR}/../.. ABSOLUTE)
set(HOTPB_BENCH_PROTOC ${repository}/build/tools/protoc/bin/protoc CACHE FILEPATH "protoc 36.2 (tools/setup protoc)")
if(NOT Protobuf_FOUND OR NOT Python3_FOUND OR NOT HOTPB_BENCH_CARGO OR NOT EXISTS ${HOTPB_BENCH_PROTOC})
  message(WARNING "without libprotobuf, python3, cargo or protoc there is no benchmark grid")
  return()
endif()

# hotpb's code, with Event named as hot, as in a program that reads little else (22 fields are by table otherwise); and
# libprotobuf's twice: with descriptors, and for the lite runtime as lite/x.proto in package lite.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated}/lite/google/protobuf ${generated}/lite/bench ${generated}/lite/prometheus)
set(protos bench/events.proto prometheus/types.proto prometheus/remote.proto)
list(TRANSFORM protos PREPEND ${repository}/proto/ OUTPUT_VARIABLE inputs)
list(TRANSFORM protos REPLACE "(.*)[.]proto" "${generated}/\\1.hot.h" OUTPUT_VARIABLE ours)
list(TRANSFORM protos REPLACE "(.*)[.]proto" "${generated}/\\1.pb.cc" OUTPUT_VARIABLE theirs)
add_custom_command(
  OUTPUT ${ours}
  COMMAND ${HOTPB_BENCH_PROTOC} --plugin=protoc-gen-hotpb-cpp=$<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>
    --hotpb-cpp_out=faces=writer+view+pool+visitor,hot=hotpb.bench.Event:${generated} -I${repository}/proto ${protos}
  DEPENDS $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp> ${inputs}
  VERBATIM)
# Event's writer as it is by default, whose setters are calls.
file(MAKE_DIRECTORY ${generated}/called)
add_custom_command(
  OUTPUT ${generated}/called/bench/events.hot.h
  COMMAND ${HOTPB_BENCH_PROTOC} --plugin=protoc-gen-hotpb-cpp=$<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>
    --hotpb-cpp_out=faces=writer,namespace=called:${generated}/called -I${repository}/proto bench/events.proto
  DEPENDS $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp> ${inputs}
  VERBATIM)
list(APPEND ours ${generated}/called/bench/events.hot.h)
add_custom_command(
  OUTPUT ${theirs}
  COMMAND protobuf::protoc -I${repository}/proto --cpp_out=${generated} ${protos}
  DEPENDS ${inputs}
  VERBATIM)

# The messages of the tasks that decode into a pool, all straight as in Rust's half. Remote write 1.0 is above.
set(pool_protos bench/listing.proto bench/otlp_logs.proto bench/shapes.proto prometheus/write/v2/types.proto)
list(TRANSFORM pool_protos PREPEND ${repository}/proto/ OUTPUT_VARIABLE pool_inputs)
list(TRANSFORM pool_protos REPLACE "(.*)[.]proto" "${generated}/\\1.hot.h" OUTPUT_VARIABLE pool_ours)
list(TRANSFORM pool_protos REPLACE "(.*)[.]proto" "${generated}/\\1.pb.cc" OUTPUT_VARIABLE pool_theirs)
add_custom_command(
  OUTPUT ${pool_ours} ${pool_theirs}
  COMMAND ${HOTPB_BENCH_PROTOC} --plugin=protoc-gen-hotpb-cpp=$<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>
    --hotpb-cpp_out=faces=pool:${generated} -I${repository}/proto ${pool_protos}
  COMMAND protobuf::protoc -I${repository}/proto --cpp_out=${generated} ${pool_protos}
  DEPENDS $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp> ${pool_inputs}
  VERBATIM)
list(APPEND ours ${pool_ours})
list(APPEND theirs ${pool_theirs})

# Thirty types for the tasks many-types-decode and -encode.
set(many ${generated}/many/bench/many)
file(MAKE_DIRECTORY ${generated}/many/bench)
add_custom_command(
  OUTPUT ${many}.proto ${generated}/bench/many.hot.h ${generated}/bench/many.pb.cc
  COMMAND ${repository}/bench/many > ${many}.proto
  COMMAND ${HOTPB_BENCH_PROTOC} --plugin=protoc-gen-hotpb-cpp=$<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>
    --hotpb-cpp_out=faces=writer+view:${generated} -I${generated}/many bench/many.proto
  COMMAND protobuf::protoc -I${generated}/many --cpp_out=${generated} bench/many.proto
  DEPENDS $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp> ${repository}/bench/many ${repository}/proto/bench/wide.proto
  VERBATIM)
list(APPEND ours ${generated}/bench/many.hot.h)
list(APPEND theirs ${generated}/bench/many.pb.cc)

foreach(proto ${protos} google/protobuf/descriptor.proto)
  set(from ${repository}/proto/${proto})
  if(proto MATCHES "^google/")
    set(from ${PROTOBUF_INCLUDE_DIRS}/${proto})
  endif()
  string(REPLACE .proto .pb.cc source ${generated}/lite/${proto})
  add_custom_command(
    OUTPUT ${generated}/lite/${proto}
    COMMAND sed -e "s/^package /&lite./" -e "s,^import .,&lite/," ${from} > ${generated}/lite/${proto}
    DEPENDS ${from}
    VERBATIM)
  list(APPEND lite_protos ${generated}/lite/${proto})
  list(APPEND lite_names lite/${proto})
  list(APPEND lite ${source})
endforeach()
add_custom_command(
  OUTPUT ${lite}
  COMMAND protobuf::protoc -I${generated} --cpp_out=lite:${generated} ${lite_names}
  DEPENDS ${lite_protos}
  VERBATIM)
add_custom_target(hotpb_grid_generated DEPENDS ${ours} ${theirs} ${lite})

# ProtoZero, extracted from the source in the crate.
execute_process(
  COMMAND ${HOTPB_BENCH_CARGO} metadata --locked --format-version 1
    --manifest-path ${CMAKE_CURRENT_SOURCE_DIR}/perfetto/Cargo.toml
  OUTPUT_VARIABLE metadata RESULT_VARIABLE failed)
if(NOT failed EQUAL 0 OR NOT metadata MATCHES "\"manifest_path\":\"([^\"]*/perfetto-sdk-sys-[^\"]*)/Cargo.toml\"")
  message(FATAL_ERROR "cargo could not download the crate perfetto-sdk-sys")
endif()
set(perfetto ${CMAKE_MATCH_1}/libperfetto_c)
set(protozero ${CMAKE_CURRENT_BINARY_DIR}/perfetto)
add_custom_command(
  OUTPUT ${protozero}/protozero.h ${protozero}/protozero.cc
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/perfetto/extract.py ${perfetto}/perfetto_c.cc ${protozero}
  DEPENDS perfetto/extract.py ${perfetto}/perfetto_c.cc
  VERBATIM)
add_custom_target(hotpb_grid_protozero DEPENDS ${protozero}/protozero.h ${protozero}/protozero.cc)

find_path(HOTPB_BENCH_MAPBOX protozero/pbf_writer.hpp NO_CMAKE_FIND_ROOT_PATH PATHS /usr/include /usr/local/include)
if(NOT HOTPB_BENCH_MAPBOX)
  message(STATUS "mapbox-protozero takes no part: it is not installed (Debian: libprotozero-dev)")
endif()

# The programs of the grid: the baseline ISA, x86-64-v3, and "small": the baseline, where the compiler chooses the
# functions to inline.
foreach(isa baseline v3 small)
  if(isa STREQUAL v3 AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    continue()
  endif()
  set(options $<$<STREQUAL:${isa},v3>:-march=x86-64-v3> $<$<STREQUAL:${isa},small>:-DHOTPB_SMALL>)

  # Code of others is compiled with the same optimisation, and without hotpb's warnings.
  add_library(hotpb_grid_theirs_${isa} STATIC ${theirs} ${lite} ${protozero}/protozero.cc perfetto/logging.cc)
  target_include_directories(hotpb_grid_theirs_${isa} SYSTEM PUBLIC ${generated} ${protozero} ${perfetto})
  target_compile_definitions(hotpb_grid_theirs_${isa} PUBLIC PERFETTO_IMPLEMENTATION)
  target_compile_options(hotpb_grid_theirs_${isa} PRIVATE -w ${options})
  target_link_libraries(hotpb_grid_theirs_${isa} PUBLIC protobuf::libprotobuf)
  add_dependencies(hotpb_grid_theirs_${isa} hotpb_grid_generated hotpb_grid_protozero)

  add_executable(hotpb_bench_${isa} EXCLUDE_FROM_ALL
    grid/main.cc grid/harness.cc grid/allocations.cc
    protozero/protozero.cc protozero/hotpb-writer.cc protozero/perfetto-protozero.cc protozero/libprotobuf-lite.cc
    protozero/speed-of-light.cc
    varint/varint.cc varint/hotpb-writer.cc varint/perfetto-protozero.cc varint/libprotobuf-lite.cc
    scatter/scatter.cc scatter/hotpb-writer.cc scatter/perfetto-protozero.cc
    view/view.cc view/hotpb-view.cc view/libprotobuf.cc view/libprotobuf-lite.cc
    pool/inputs.cc pool/hotpb-pool.cc pool/libprotobuf.cc pool/perfetto-protozero.cc
    rows/hotpb.cc rows/libprotobuf.cc
    many/many.cc many/hotpb.cc many/libprotobuf.cc many/perfetto-protozero.cc)
  if(HOTPB_BENCH_MAPBOX)
    target_sources(hotpb_bench_${isa} PRIVATE protozero/mapbox-protozero.cc varint/mapbox-protozero.cc many/mapbox-protozero.cc
      pool/mapbox-protozero.cc)
    target_compile_definitions(hotpb_bench_${isa} PRIVATE BENCH_MAPBOX)
  endif()
  target_include_directories(hotpb_bench_${isa} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(hotpb_bench_${isa} PRIVATE ${options})
  target_link_libraries(hotpb_bench_${isa} PRIVATE hotpb_build hotpb_grid_theirs_${isa})
endforeach()

# The cache test (cache.sh): 100 call sites in turn.
set(sites ${generated}/cache/hotpb_sites.cc ${generated}/cache/perfetto_sites.cc)
add_custom_command(
  OUTPUT ${sites} ${generated}/cache/schema.proto
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cache/generate.py ${generated}
  DEPENDS cache/generate.py
  VERBATIM)
foreach(program default inlined)
  set(here ${generated}/cache-${program}/cache)
  file(MAKE_DIRECTORY ${here})
  add_custom_command(
    OUTPUT ${here}/schema.hot.h
    COMMAND ${HOTPB_BENCH_PROTOC} --plugin=protoc-gen-hotpb-cpp=$<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>
      "--hotpb-cpp_out=faces=writer$<$<STREQUAL:${program},inlined>:,hot=*>:${generated}/cache-${program}" -I${generated} cache/schema.proto
    DEPENDS $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp> ${generated}/cache/schema.proto
    VERBATIM)
  add_executable(hotpb_cache_${program} EXCLUDE_FROM_ALL ${generated}/cache/hotpb_sites.cc ${here}/schema.hot.h)
  target_include_directories(hotpb_cache_${program} SYSTEM PRIVATE ${generated}/cache-${program})
endforeach()
add_executable(hotpb_cache_perfetto EXCLUDE_FROM_ALL ${generated}/cache/perfetto_sites.cc)
target_link_libraries(hotpb_cache_perfetto PRIVATE hotpb_grid_theirs_baseline)
foreach(program default inlined perfetto)
  target_include_directories(hotpb_cache_${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(hotpb_cache_${program} SYSTEM PRIVATE ${generated})
  target_link_libraries(hotpb_cache_${program} PRIVATE hotpb)
endforeach()
add_custom_target(hotpb_cache DEPENDS hotpb_cache_default hotpb_cache_inlined hotpb_cache_perfetto)
