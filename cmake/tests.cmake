# What tests, benches and examples share.

# a sanitizer follows no test into a process of its own
set(PERCUSS_TEST_ENV)
if(PERCUSS_SANITIZE)
  set(PERCUSS_TEST_ENV "CK_FORK=no")
endif()

# percuss_ctest(NAME LABEL COMMAND...): a CTest with the environment and the longest time of all
function(percuss_ctest name label)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300
    ENVIRONMENT "${PERCUSS_TEST_ENV}")
endfunction()
