# Install rules: libraries, headers, documents, scenes, the CMake package and the file of pkg-config.
include(CMakePackageConfigHelpers)
# the pages as they are written, in their folders, so that their links lead somewhere; the site if it is built
install(FILES LICENSE NOTICE README.md CHANGELOG.md CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc
  FILES_MATCHING PATTERN "*.md" PATTERN "images/*" PATTERN "scene.schema.json"
  PATTERN site EXCLUDE PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/doc/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY examples/scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss/scenes
  FILES_MATCHING PATTERN "*.json")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)
install(EXPORT percussTargets NAMESPACE percuss:: DESTINATION ${package_dir})
configure_package_config_file(cmake/percussConfig.cmake.in percussConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(percussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/percussConfig.cmake
  ${PROJECT_BINARY_DIR}/percussConfigVersion.cmake cmake/FindSuiteSparse.cmake
  DESTINATION ${package_dir})

# pkg-config: what a static library stands on is named at every link, for a shared one only
# when asked (--static); paths are relative, so that the tree may be moved
file(RELATIVE_PATH PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(JOIN PERCUSS_MODULES " " PC_MODULES)
get_property(layers GLOBAL PROPERTY PERCUSS_LAYERS)
list(REVERSE layers)
list(TRANSFORM layers PREPEND "-lpercuss_" OUTPUT_VARIABLE PC_LIBS)
list(JOIN PC_LIBS " " PC_LIBS)
list(REVERSE PERCUSS_SUITESPARSE)
string(TOLOWER "-l${PERCUSS_SUITESPARSE}" PC_LIBS_PRIVATE)
string(REPLACE ";" " -l" PC_LIBS_PRIVATE "${PC_LIBS_PRIVATE}")
string(APPEND PC_LIBS_PRIVATE " -pthread")
list(REVERSE PERCUSS_SUITESPARSE)
get_filename_component(cholmod_dir ${SuiteSparse_CHOLMOD_LIBRARY} DIRECTORY)
if(NOT cholmod_dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  string(PREPEND PC_LIBS_PRIVATE "-L${cholmod_dir} ")
endif()
if(BUILD_SHARED_LIBS)
  set(PC_REQUIRES Requires.private)
else()
  set(PC_REQUIRES Requires)
  string(APPEND PC_LIBS " ${PC_LIBS_PRIVATE}")
  set(PC_LIBS_PRIVATE "")
endif()
string(APPEND PC_LIBS " -lm")
configure_file(cmake/percuss.pc.in percuss.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/percuss.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
