# hotpb_generate(): a library of headers that are generated from .proto files, again whenever one of them changes.
#
#   hotpb_generate(
#     TARGET event_hot               the library to define: link it and #include "events/event.hot.h"
#     PROTOS events/event.proto ...  the files, relative to one of the import directories, or as paths
#     [FACES writer view]            default: writer view pool; with pool also builder and visitor
#     [IMPORT_DIRS proto ...]        where protoc finds imported files; default: the current source directory
#     [NAMESPACE fast]               the last part of the namespace instead of hot: pkg::fast
#     [OPTIONS messages=pkg.A ...]   other options of the generator (protoc-gen-hotpb-cpp --help)
#     [DESCRIPTOR_SET events.fds]    instead of protoc: the output of `protoc --include_imports --descriptor_set_out`
#     [OUT_DIR directory]            where the headers go; default: below the current binary directory
#     [SOURCES])                     a STATIC library instead of headers alone
#
# Without SOURCES the target is an INTERFACE library: headers, and nothing to link. With SOURCES, long functions are
# compiled once, in x.hot.cc, so files that include x.hot.h compile faster; x.hot.fwd.h has only the declarations. The
# library and all code that links it need the same configuration (hotpb/detail/abi.h: exceptions, HOTPB_SMALL and the like):
# otherwise the linker does not find the names.
#
# The function finds protoc on the PATH, or by HOTPB_PROTOC; with DESCRIPTOR_SET it needs no protoc. The generator is
# the one that came with hotpb, or HOTPB_PLUGIN: set it in a build for another machine to the generator of this machine.
# Imported files are not generated: give them a hotpb_generate() of their own, and link its target. The well-known types
# are in the runtime. It needs CMake 3.20, with Ninja or Makefiles; with CMake 3.21, other generators work too.
# Quote names with blanks.
#
# All headers are generated in the same way: protoc writes a descriptor set, and the list of files that it read; the
# generator reads the set.
cmake_policy(VERSION 3.20)
set(_hotpb_cmake ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "hotpb's CMake scripts")

# The name by which protoc knows a file: its path below one of the import directories.
function(_hotpb_import_name proto dirs name file)
  foreach(dir ${dirs})
    if(NOT IS_ABSOLUTE ${proto} AND EXISTS ${dir}/${proto})
      set(${name} ${proto} PARENT_SCOPE)
      set(${file} ${dir}/${proto} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  get_filename_component(path ${proto} ABSOLUTE)
  foreach(dir ${dirs})
    file(RELATIVE_PATH below ${dir} ${path})
    # A file that the build generates is named by its full path.
    if((IS_ABSOLUTE ${proto} OR EXISTS ${path}) AND NOT below MATCHES "^\\.\\./" AND NOT IS_ABSOLUTE "${below}")
      set(${name} ${below} PARENT_SCOPE)
      set(${file} ${path} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(IS_ABSOLUTE ${proto} OR EXISTS ${path})
    message(FATAL_ERROR "hotpb_generate: ${proto} is not in an import directory (${dirs}); add IMPORT_DIRS")
  endif()
  set(looked ${dirs} ${CMAKE_CURRENT_SOURCE_DIR})
  list(REMOVE_DUPLICATES looked)
  list(JOIN looked ", " looked)
  message(FATAL_ERROR "hotpb_generate: there is no file ${proto} in ${looked}; look at its spelling, or add its "
    "directory to IMPORT_DIRS (the keywords are ${keywords})")
endfunction()

# The rule that writes the set of `names`, again when one of them, or a file that they import, changes.
function(_hotpb_add_set target set names files dirs)
  find_program(HOTPB_PROTOC protoc DOC "The protoc that hotpb_generate() uses")
  if(NOT HOTPB_PROTOC OR (IS_ABSOLUTE "${HOTPB_PROTOC}" AND NOT EXISTS "${HOTPB_PROTOC}"))
    message(FATAL_ERROR "hotpb_generate: protoc is missing (${HOTPB_PROTOC}); install it, name it with "
      "-DHOTPB_PROTOC=..., or give a ready DESCRIPTOR_SET")
  endif()
  # protoc lists the files that it read only if it compiles one file, so compile one that imports them all.
  set(all hotpb_all_of_${target}.proto)
  set(text "syntax = \"proto3\";\n")
  foreach(name ${names})
    string(APPEND text "import public \"${name}\";\n")
  endforeach()
  get_filename_component(place ${set} DIRECTORY)
  file(GENERATE OUTPUT ${place}/${all} CONTENT "${text}")
  list(TRANSFORM dirs PREPEND -I)
  set(depends ${place}/${all} ${files})
  set(depfile "")
  if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles" OR CMAKE_VERSION VERSION_GREATER_EQUAL 3.21)
    set(depfile DEPFILE ${set}.d)
  endif()
  add_custom_command(
    OUTPUT ${set}
    COMMAND ${HOTPB_PROTOC} ${dirs} -I${place} --include_imports --include_source_info
      --descriptor_set_out=${set} --dependency_out=${set}.d ${all}
    COMMAND ${CMAKE_COMMAND} -DDEPFILE=${set}.d -P ${_hotpb_cmake}/HotpbDepfile.cmake
    DEPENDS ${depends} ${HOTPB_PROTOC}
    ${depfile}
    COMMENT "Reading the .proto files of ${target}"
    VERBATIM)
endfunction()

function(hotpb_generate)
  set(keywords "TARGET, PROTOS, FACES, IMPORT_DIRS, NAMESPACE, OPTIONS, DESCRIPTOR_SET, OUT_DIR, SOURCES")
  cmake_parse_arguments(arg "SOURCES" "TARGET;DESCRIPTOR_SET;NAMESPACE;OUT_DIR" "PROTOS;FACES;IMPORT_DIRS;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hotpb_generate: there are no arguments ${arg_UNPARSED_ARGUMENTS}; the keywords are ${keywords}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "hotpb_generate: the value of ${arg_KEYWORDS_MISSING_VALUES} is missing")
  endif()
  foreach(required TARGET PROTOS)
    if(NOT arg_${required})
      message(FATAL_ERROR "hotpb_generate: ${required} is missing")
    endif()
  endforeach()
  if(TARGET ${arg_TARGET})
    message(FATAL_ERROR "hotpb_generate: there is a target ${arg_TARGET} already; name a new one and link it")
  endif()
  if(arg_DESCRIPTOR_SET AND arg_IMPORT_DIRS)
    message(FATAL_ERROR "hotpb_generate: IMPORT_DIRS are for protoc; a DESCRIPTOR_SET contains its imports")
  endif()

  set(place ${CMAKE_CURRENT_BINARY_DIR}/hotpb_generate/${arg_TARGET})
  set(out ${place}/include)
  if(arg_OUT_DIR)
    get_filename_component(out ${arg_OUT_DIR} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  endif()

  set(names "")
  if(arg_DESCRIPTOR_SET)
    get_filename_component(set ${arg_DESCRIPTOR_SET} ABSOLUTE)
    set(names ${arg_PROTOS})
  else()
    set(dirs "")
    foreach(dir ${arg_IMPORT_DIRS})
      get_filename_component(dir ${dir} ABSOLUTE)
      list(APPEND dirs ${dir})
    endforeach()
    if(NOT dirs)
      set(dirs ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    set(files "")
    foreach(proto ${arg_PROTOS})
      _hotpb_import_name(${proto} "${dirs}" name file)
      list(APPEND names ${name})
      list(APPEND files ${file})
    endforeach()
    set(set ${place}/${arg_TARGET}.fds)
    _hotpb_add_set(${arg_TARGET} ${set} "${names}" "${files}" "${dirs}")
  endif()

  # The files of google/protobuf/*.proto that are in the runtime.
  set(ready any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
  set(headers "")
  set(sources "")
  foreach(name ${names})
    string(REGEX REPLACE "\\.proto$" "" stem ${name})
    string(REGEX REPLACE "^google/protobuf/" "" known ${stem})
    if(NOT known STREQUAL stem AND known IN_LIST ready)
      get_filename_component(known ${known} NAME)
      message(FATAL_ERROR "hotpb_generate: ${name} is in the runtime: #include \"hotpb/wkt/${known}.hot.h\"")
    endif()
    list(APPEND headers ${out}/${stem}.hot.h)
    foreach(extra builder visitor)
      if(extra IN_LIST arg_FACES)
        list(APPEND headers ${out}/${stem}.${extra}.hot.h)
      endif()
    endforeach()
    if(arg_SOURCES)
      list(APPEND headers ${out}/${stem}.hot.fwd.h)
      list(APPEND sources ${out}/${stem}.hot.cc)
    endif()
  endforeach()

  if(HOTPB_PLUGIN)
    if(IS_ABSOLUTE "${HOTPB_PLUGIN}" AND NOT EXISTS "${HOTPB_PLUGIN}")
      message(FATAL_ERROR "hotpb_generate: there is no generator at ${HOTPB_PLUGIN}, which HOTPB_PLUGIN names")
    endif()
    set(plugin ${HOTPB_PLUGIN})
    set(run ${plugin})
  elseif(NOT TARGET hotpb::protoc-gen-hotpb-cpp)
    message(FATAL_ERROR "hotpb_generate: this hotpb was installed without its generator; name one with "
      "-DHOTPB_PLUGIN=/path/to/protoc-gen-hotpb-cpp")
  elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "hotpb_generate: the generator runs on the machine that builds: build it there and name it "
      "with -DHOTPB_PLUGIN=/path/to/protoc-gen-hotpb-cpp")
  else()
    set(plugin $<TARGET_FILE:hotpb::protoc-gen-hotpb-cpp>)
    set(run ${CMAKE_CROSSCOMPILING_EMULATOR} ${plugin})
  endif()
  set(options "")
  if(arg_FACES)
    list(JOIN arg_FACES + faces)
    list(APPEND options --opt=faces=${faces})
  endif()
  if(arg_NAMESPACE)
    list(APPEND options --opt=namespace=${arg_NAMESPACE})
  endif()
  foreach(option ${arg_OPTIONS})
    list(APPEND options --opt=${option})
  endforeach()
  if(arg_SOURCES)
    list(APPEND options --opt=sources)
  endif()
  list(TRANSFORM names PREPEND --files=)
  add_custom_command(
    OUTPUT ${headers} ${sources}
    COMMAND ${run} --descriptor_set=${set} ${names} ${options} --out=${out}
    DEPENDS ${set} ${plugin}
    COMMENT "Generating ${arg_TARGET}"
    VERBATIM)
  add_custom_target(${arg_TARGET}_headers DEPENDS ${headers} ${sources})
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${arg_TARGET} STATIC ${sources})
  else()
    set(scope INTERFACE)
    add_library(${arg_TARGET} INTERFACE)
  endif()
  target_include_directories(${arg_TARGET} ${scope} $<BUILD_INTERFACE:${out}>)
  target_link_libraries(${arg_TARGET} ${scope} hotpb::hotpb)
  add_dependencies(${arg_TARGET} ${arg_TARGET}_headers)
endfunction()
