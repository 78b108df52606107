# Checks that every header compiles alone. To save time, the headers that most others include are precompiled.
# This does not weaken the check for a header that includes one of them, directly or indirectly.
# - X.cpp proves X.h, which it includes first (tests/engine/dependencies_test.cpp checks this), if X.h
#   includes the header that is precompiled for the library of X.cpp.
# - For any other header a generated source includes it and nothing else.
set(often_included app/ui/context/ui_context.h engine/model/model.h engine/core/matrix.h)  # the largest first

# headlight_included_by(FILE RESULT): the project's headers that a file includes, directly and indirectly.
function(headlight_included_by file result)
  get_property(known GLOBAL PROPERTY headlight_included_by_${file} SET)
  if(NOT known)
    set_property(GLOBAL PROPERTY headlight_included_by_${file} "")  # ends a circle of includes
    file(STRINGS ${PROJECT_SOURCE_DIR}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
    set(included)
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" header "${line}")
      if(EXISTS ${PROJECT_SOURCE_DIR}/${header})
        headlight_included_by(${header} more)
        list(APPEND included ${header} ${more})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES included)
    set_property(GLOBAL PROPERTY headlight_included_by_${file} "${included}")
  endif()
  get_property(included GLOBAL PROPERTY headlight_included_by_${file})
  set(${result} ${included} PARENT_SCOPE)
endfunction()

# headlight_proves(LIBRARY RESULT): the headers that the sources of a library prove to compile alone.
function(headlight_proves library result)
  get_target_property(precompiled ${library} HEADLIGHT_PRECOMPILED)
  get_target_property(sources ${library} SOURCES)
  set(proven)
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "\\.cpp$" ".h" header "${source}")
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(header MATCHES "\\.h$" AND EXISTS ${PROJECT_SOURCE_DIR}/${header})
      headlight_included_by(${header} included)
      if(precompiled IN_LIST included)
        list(APPEND proven ${header})
      endif()
    endif()
  endforeach()
  set(${result} ${proven} PARENT_SCOPE)
endfunction()

set(proven)
get_property(modules GLOBAL PROPERTY headlight_modules)
foreach(library IN LISTS modules)
  headlight_proves(${library} more)
  list(APPEND proven ${more})
endforeach()

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/engine/*.h ${PROJECT_SOURCE_DIR}/app/*.h ${PROJECT_SOURCE_DIR}/tests/*.h)
foreach(header IN LISTS headers)
  # The includes of the header select how it is compiled, so that CMake runs again after a change.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  if(header IN_LIST proven)
    continue()
  endif()
  string(MAKE_C_IDENTIFIER ${header} identifier)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${identifier}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n" @ONLY)

  headlight_included_by(${header} included)
  set(precompiled nothing)
  foreach(candidate IN LISTS often_included)
    if(candidate IN_LIST included)
      set(precompiled ${candidate})
      break()
    endif()
  endforeach()
  list(APPEND sources_with_${precompiled} ${source})
endforeach()

foreach(precompiled IN ITEMS nothing ${often_included})
  string(MAKE_C_IDENTIFIER headers_with_${precompiled} target)
  add_library(${target} OBJECT ${sources_with_${precompiled}})
  target_link_libraries(${target} PRIVATE headlight_ui Catch2::Catch2 nlohmann_json::nlohmann_json)
  target_compile_definitions(${target} PRIVATE HEADLIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -O0 -g0)
  if(NOT precompiled STREQUAL "nothing")
    headlight_precompile(${target} ${precompiled})
  endif()
endforeach()
