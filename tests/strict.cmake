# HEADLIGHT_STRICT: a warning is an error, where the compiler is one whose warnings are known: other versions
# find other things to say, and a build must not fail for that. A user's build never does.
set(known_compilers GNU-12 GNU-14 Clang-14 Clang-19)
string(REGEX MATCH "^[0-9]+" compiler_version "${CMAKE_CXX_COMPILER_VERSION}")
if("${CMAKE_CXX_COMPILER_ID}-${compiler_version}" IN_LIST known_compilers)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
else()
  message(STATUS "Warnings of ${CMAKE_CXX_COMPILER_ID} ${compiler_version} are no errors: known are ${known_compilers}")
endif()
