# `cmake --install` of the program with its desktop files. Included by the top-level CMakeLists.txt. The
# program finds its files relative to itself, so that the prefix can be moved after installation.
include(GNUInstallDirs)

set(packaging ${PROJECT_SOURCE_DIR}/app/packaging)
set(prepared ${PROJECT_BINARY_DIR}/packaging)
set(data_dir ${CMAKE_INSTALL_DATADIR}/headlight)

# The release date, from the heading of the version in CHANGELOG.md.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md heading REGEX "^## ${PROJECT_VERSION} \\([0-9-]+\\)$" LIMIT_COUNT 1)
if(NOT heading)
  message(FATAL_ERROR "CHANGELOG.md has no line \"## ${PROJECT_VERSION} (YYYY-MM-DD)\"")
endif()
string(REGEX REPLACE ".*\\((.*)\\)" "\\1" HEADLIGHT_RELEASE_DATE "${heading}")

configure_file(${packaging}/headlight.metainfo.xml.in ${prepared}/headlight.metainfo.xml @ONLY)
configure_file(${packaging}/headlight.1.in ${prepared}/headlight.1 @ONLY)

# headlight_install_packed(FILE NAME FOLDER): installs FILE as NAME.gz, packed without a time stamp; if gzip is
# missing, as NAME.
find_program(HEADLIGHT_GZIP gzip DOC "Packs the manual page and the lists of changes")
function(headlight_install_packed file name folder)
  if(HEADLIGHT_GZIP)
    set(packed ${prepared}/${name}.gz)
    execute_process(COMMAND ${HEADLIGHT_GZIP} -9 -n -c ${file} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${packed} DESTINATION ${folder})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  else()
    install(FILES ${file} DESTINATION ${folder} RENAME ${name})
  endif()
endfunction()

install(TARGETS headlight RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/assets/lessons ${PROJECT_SOURCE_DIR}/assets/examples DESTINATION ${data_dir}
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/assets/page DESTINATION ${data_dir})
install(FILES ${PROJECT_SOURCE_DIR}/assets/python/headlight.py DESTINATION ${data_dir}/python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/app/manual DESTINATION ${data_dir} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
        PATTERN make_pictures EXCLUDE)
set(window_icons 16 24 32 48 64 128)
foreach(size IN ITEMS 16 24 32 48 64 128 256 512)
  set(icon ${PROJECT_SOURCE_DIR}/assets/icons/headlight-${size}.png)
  install(FILES ${icon} DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps RENAME headlight.png)
  if(size IN_LIST window_icons)
    install(FILES ${icon} DESTINATION ${data_dir}/icons)
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/assets/icons/headlight.svg
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${packaging}/headlight.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${packaging}/headlight.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME headlight.xml)
install(FILES ${prepared}/headlight.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES ${packaging}/headlight.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME headlight)
install(FILES ${packaging}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
headlight_install_packed(${prepared}/headlight.1 headlight.1 ${CMAKE_INSTALL_MANDIR}/man1)
headlight_install_packed(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog ${CMAKE_INSTALL_DOCDIR})

include(${packaging}/package.cmake)
