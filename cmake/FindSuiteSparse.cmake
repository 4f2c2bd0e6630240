# Parts of SuiteSparse as targets: find_package(SuiteSparse COMPONENTS CHOLMOD KLU) gives
# SuiteSparse::CHOLMOD and SuiteSparse::KLU. SuiteSparse before 7 brings neither pkg-config
# files nor package configurations.
include(FindPackageHandleStandardArgs)

set(needed)
foreach(part IN LISTS SuiteSparse_FIND_COMPONENTS)
  string(TOLOWER ${part} file)
  find_path(SuiteSparse_${part}_INCLUDE_DIR ${file}.h PATH_SUFFIXES suitesparse)
  find_library(SuiteSparse_${part}_LIBRARY ${file})
  mark_as_advanced(SuiteSparse_${part}_INCLUDE_DIR SuiteSparse_${part}_LIBRARY)
  list(APPEND needed SuiteSparse_${part}_LIBRARY SuiteSparse_${part}_INCLUDE_DIR)
  if(SuiteSparse_${part}_LIBRARY AND SuiteSparse_${part}_INCLUDE_DIR)
    set(SuiteSparse_${part}_FOUND TRUE)
  endif()
endforeach()
find_package_handle_standard_args(SuiteSparse REQUIRED_VARS ${needed} HANDLE_COMPONENTS)

foreach(part IN LISTS SuiteSparse_FIND_COMPONENTS)
  if(SuiteSparse_FOUND AND NOT TARGET SuiteSparse::${part})
    # GLOBAL: a static library hands it on to whoever links it, in any folder of the parent project
    add_library(SuiteSparse::${part} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(SuiteSparse::${part} PROPERTIES
      IMPORTED_LOCATION ${SuiteSparse_${part}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SuiteSparse_${part}_INCLUDE_DIR})
  endif()
endforeach()
