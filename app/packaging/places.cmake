# Compile definitions of app/settings for the program's version and the path from the program to its assets.
include(GNUInstallDirs)

file(RELATIVE_PATH data_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/headlight)
target_compile_definitions(app_settings PRIVATE HEADLIGHT_DATA_FROM_PROGRAM="${data_from_program}"
                                                HEADLIGHT_VERSION="${PROJECT_VERSION}")

# In the build folder the program and the tests find the assets as ../assets.
file(RELATIVE_PATH assets_from_build ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/assets)
file(CREATE_LINK ${assets_from_build} ${PROJECT_BINARY_DIR}/assets SYMBOLIC)
