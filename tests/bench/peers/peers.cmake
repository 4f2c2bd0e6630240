# The same problems and scenes through the solvers and engines of others; never needed.

find_path(SICONOS_INCLUDE_DIR siconos/numerics/NonSmoothDrivers.h REQUIRED)
find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics REQUIRED)
add_executable(bench_peers peers/bench_peers.c)
add_executable(bench_sweeps peers/bench_sweeps.c cost_scene.c)
foreach(name peers sweeps)
  # its headers lean on one another, and on nothing of ours
  target_include_directories(bench_${name} SYSTEM PRIVATE ${SICONOS_INCLUDE_DIR}
    ${SICONOS_INCLUDE_DIR}/siconos ${SICONOS_INCLUDE_DIR}/siconos/numerics)
  target_link_libraries(bench_${name} PRIVATE percuss::io ${SICONOS_NUMERICS_LIBRARY}
    percuss_flags m)
endforeach()

# the same pair of Dormand and Prince, if it is there; nothing of it reaches the libraries
find_path(SUNDIALS_INCLUDE_DIR arkode/arkode_erkstep.h)
find_library(SUNDIALS_ARKODE_LIBRARY sundials_arkode)
find_library(SUNDIALS_NVECSERIAL_LIBRARY sundials_nvecserial)
if(SUNDIALS_INCLUDE_DIR AND SUNDIALS_ARKODE_LIBRARY AND SUNDIALS_NVECSERIAL_LIBRARY)
  target_sources(bench_ode PRIVATE peers/ode_sundials.c)
  target_compile_definitions(bench_ode PRIVATE BENCH_PEERS)
  target_include_directories(bench_ode SYSTEM PRIVATE ${SUNDIALS_INCLUDE_DIR})
  target_link_libraries(bench_ode PRIVATE ${SUNDIALS_ARKODE_LIBRARY}
    ${SUNDIALS_NVECSERIAL_LIBRARY})
endif()

# ---- the same scenes in the engines of others
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
pkg_check_modules(ODE REQUIRED IMPORTED_TARGET ode)
pkg_check_modules(BULLET REQUIRED IMPORTED_TARGET bullet-float64)
add_executable(bench_scenes_peers bench_scenes.c ${scene_sources}
  peers/engine_ode.c peers/engine_bullet.cpp)
target_compile_definitions(bench_scenes_peers PRIVATE BENCH_PEERS)
target_compile_options(bench_scenes_peers PRIVATE -Wall -Wextra)
target_link_libraries(bench_scenes_peers PRIVATE percuss_scenes PkgConfig::ODE
                      PkgConfig::BULLET m)
