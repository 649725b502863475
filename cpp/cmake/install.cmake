# `cmake --install`: headers, generator, the package for find_package(hotpb), and hotpb.pc. No file contains the prefix,
# so the prefix may be moved.
#
#   --component hotpb_headers      the headers, for code that is already generated
#   --component hotpb_generator    protoc-gen-hotpb-cpp, which runs on the machine that builds
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hotpb)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME hotpb_headers)

install(DIRECTORY include/hotpb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET hotpb_well_known)
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include/hotpb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(TARGETS hotpb EXPORT hotpbTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT hotpbTargets NAMESPACE hotpb:: DESTINATION ${package})
configure_package_config_file(cmake/hotpbConfig.cmake.in hotpbConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(hotpbConfigVersion.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hotpbConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/hotpbConfigVersion.cmake
  cmake/HotpbDepfile.cmake cmake/HotpbGenerate.cmake DESTINATION ${package})
install(FILES ../LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(place ${CMAKE_INSTALL_DATADIR}/pkgconfig)
file(RELATIVE_PATH HOTPB_PC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${place} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" HOTPB_PC_TO_PREFIX ${HOTPB_PC_TO_PREFIX})
configure_file(cmake/hotpb.pc.in hotpb.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hotpb.pc DESTINATION ${place})

if(TARGET protoc-gen-hotpb-cpp)
  install(TARGETS protoc-gen-hotpb-cpp EXPORT hotpbGeneratorTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT hotpb_generator)
  install(EXPORT hotpbGeneratorTargets NAMESPACE hotpb:: DESTINATION ${package} COMPONENT hotpb_generator)
endif()
