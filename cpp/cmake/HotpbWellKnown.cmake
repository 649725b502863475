# hotpb_add_well_known(): the headers hotpb/wkt/*.hot.h, with all faces of the well-known types.
#
# The archive of a release has them. In a checkout the generator writes them, to `include` in the binary directory, before
# anything that links hotpb::hotpb is compiled. It reads a descriptor set from the repository, so that the headers do not
# depend on the version of protoc, and need none. A build for another machine whose programs cannot run here has them only
# with HOTPB_PLUGIN.
function(hotpb_add_well_known)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include/hotpb/wkt/timestamp.hot.h)
    return()
  endif()
  if(HOTPB_PLUGIN)
    set(plugin ${HOTPB_PLUGIN})
    set(run ${plugin})
  elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "hotpb: no hotpb/wkt/*.hot.h, because the generator runs on the machine that builds: name it with "
      "-DHOTPB_PLUGIN=/path/to/protoc-gen-hotpb-cpp")
    return()
  else()
    set(plugin protoc-gen-hotpb-cpp)
    set(run ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:protoc-gen-hotpb-cpp>)
  endif()

  set(set ${CMAKE_CURRENT_SOURCE_DIR}/../proto/well_known.fds)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/include)
  set(names any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
  # Pools of what describes schemas are by table: they are large, and on no hot path.
  set(cold api compiler/plugin descriptor type)
  set(files "")
  set(cold_files "")
  set(cold_headers "")
  set(headers "")
  foreach(name ${names})
    list(APPEND files --files=google/protobuf/${name}.proto)
    get_filename_component(base ${name} NAME)
    foreach(part "" .fields .writer .view .pool .builder .visitor)
      list(APPEND headers ${out}/hotpb/wkt/${base}${part}.hot.h)
    endforeach()
    if(name IN_LIST cold)
      list(APPEND cold_files --files=google/protobuf/${name}.proto)
      list(APPEND cold_headers ${out}/by_table/hotpb/wkt/${base}.pool.hot.h)
    endif()
  endforeach()
  add_custom_command(
    OUTPUT ${headers}
    COMMAND ${run} --descriptor_set=${set} ${files} --opt=faces=writer+view+pool+builder+visitor --opt=comments=off
      --opt=split --out=${out}
    COMMAND ${run} --descriptor_set=${set} ${cold_files} --opt=faces=pool --opt=comments=off --opt=split --opt=cold=*
      --out=${out}/by_table
    COMMAND ${CMAKE_COMMAND} -E copy ${cold_headers} ${out}/hotpb/wkt
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${out}/by_table
    DEPENDS ${set} ${plugin}
    COMMENT "Generating the well-known types"
    VERBATIM)
  # `cmake --install` installs them, so `cmake --build` makes them.
  set(all "")
  if(HOTPB_INSTALL)
    set(all ALL)
  endif()
  add_custom_target(hotpb_well_known ${all} DEPENDS ${headers})
  add_dependencies(hotpb hotpb_well_known)
  target_include_directories(hotpb INTERFACE $<BUILD_INTERFACE:${out}>)
endfunction()
