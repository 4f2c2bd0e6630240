# The runs of runs.txt as tests; that file explains its lines.

# long runs and the hundreds of ranges say the same in every build: in the fastest of gcc only
set(long OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
   AND NOT PERCUSS_SANITIZE AND NOT PERCUSS_COVERAGE AND NOT BUILD_SHARED_LIBS)
  set(long ON)
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS runs.txt)
file(READ runs.txt table)
string(REGEX REPLACE "\\\\\n *" "" table "${table}") # lines that go on
string(REPLACE "@data@" "${PROJECT_SOURCE_DIR}/tests/examples/data" table "${table}")
string(REPLACE "@scratch@" "${PROJECT_BINARY_DIR}/tests" table "${table}")
string(REPLACE ";" "\\;" table "${table}")
string(REPLACE "\n" ";" table "${table}")
foreach(line IN LISTS table)
  if(line MATCHES "^ *(#.*)?$")
    continue()
  endif()
  if(line MATCHES "^([a-z_]+)$")
    set(example ${line})
    continue()
  endif()
  if(NOT line MATCHES "^  ([a-z_]+) *(.*)$")
    message(FATAL_ERROR "runs.txt: '${line}' is neither an example nor a run")
  endif()
  set(kind ${CMAKE_MATCH_1})
  set(rest "${CMAKE_MATCH_2}")

  if(kind STREQUAL "range")
    set(name example.${example}.range)
    if(NOT long)
      continue()
    endif()
    separate_arguments(flags UNIX_COMMAND "${rest}")
    percuss_ctest(${name} example ${PROJECT_SOURCE_DIR}/tests/examples/range
      $<TARGET_FILE:${example}> ${flags})
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 COST 100) # these start first
    continue()
  endif()

  if(NOT rest MATCHES "^([^ ]+) *(.*)$")
    message(FATAL_ERROR "runs.txt: '${line}' of ${example} has no name")
  endif()
  separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}")
  set(name example.${example})
  if(NOT CMAKE_MATCH_1 STREQUAL "-")
    set(name ${name}.${CMAKE_MATCH_1})
  endif()
  if((kind STREQUAL "long" OR kind STREQUAL "long_scene") AND NOT long)
    continue()
  elseif(kind STREQUAL "run" OR kind STREQUAL "long")
    add_test(NAME ${name} COMMAND ${example} ${flags})
  elseif(kind STREQUAL "scene" OR kind STREQUAL "long_scene")
    # NAME is that of the file
    set(name example.${CMAKE_MATCH_1}.scene)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/scenes/${CMAKE_MATCH_1}.json)
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/examples/scene
      $<TARGET_FILE:${example}> $<TARGET_FILE:percuss> ${file} ${flags})
  elseif(kind STREQUAL "refuse")
    add_test(NAME ${name}
      COMMAND sh -c "\"$0\" \"$@\"; test $? -eq 2" $<TARGET_FILE:${example}> ${flags})
  else()
    message(FATAL_ERROR "runs.txt: '${kind}' of ${example} is not one of run, long, refuse, scene, long_scene, range")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS example TIMEOUT 300
    ENVIRONMENT "${PERCUSS_TEST_ENV}")
endforeach()
