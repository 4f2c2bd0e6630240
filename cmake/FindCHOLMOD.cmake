# CHOLMOD of SuiteSparse as the target CHOLMOD::CHOLMOD. SuiteSparse before 7 brings neither a
# pkg-config file nor a package configuration.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR)

if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
  # GLOBAL: a static library hands it on to whoever links it, in any folder of the parent project
  add_library(CHOLMOD::CHOLMOD UNKNOWN IMPORTED GLOBAL)
  set_target_properties(CHOLMOD::CHOLMOD PROPERTIES
    IMPORTED_LOCATION ${CHOLMOD_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CHOLMOD_INCLUDE_DIR})
endif()
