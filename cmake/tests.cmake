# What tests, benches and examples share.

# a sanitizer follows no test into a process of its own
set(PERCUSS_TEST_ENV)
if(PERCUSS_SANITIZE)
  set(PERCUSS_TEST_ENV "CK_FORK=no")
endif()

# percuss_ctest(NAME LABEL COMMAND...): a CTest with the environment and the longest time of all. The
# target tests_LABEL builds the programs that tests of this label run
function(percuss_ctest name label)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  if(TARGET "${ARGV2}")
    add_dependencies(tests_${label} ${ARGV2})
  endif()
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300
    ENVIRONMENT "${PERCUSS_TEST_ENV}")
endfunction()
