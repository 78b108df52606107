# HEADLIGHT_STRICT: a warning is an error if the compiler is one of the known versions. Other versions have
# other warnings, which must not break a build. The option is off by default: a user's build never fails for a
# warning.
set(known_compilers GNU-12 GNU-14 Clang-14 Clang-19)
string(REGEX MATCH "^[0-9]+" compiler_version "${CMAKE_CXX_COMPILER_VERSION}")
if("${CMAKE_CXX_COMPILER_ID}-${compiler_version}" IN_LIST known_compilers)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
else()
  message(STATUS "Warnings of ${CMAKE_CXX_COMPILER_ID} ${compiler_version} are no errors: known are ${known_compilers}")
endif()
