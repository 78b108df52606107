# Compile definitions for the program's version and the path from the program to its assets. Included by app/,
# whose targets these are: properties of a source apply only in the folder that sets them.
include(GNUInstallDirs)

file(RELATIVE_PATH data_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/headlight)
set_source_files_properties(${PROJECT_SOURCE_DIR}/app/settings/assets.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_DATA_FROM_PROGRAM="${data_from_program}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/app/settings/version.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_VERSION="${PROJECT_VERSION}")

# In the build folder the program and the tests find the assets as ../assets.
file(RELATIVE_PATH assets_from_build ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/assets)
file(CREATE_LINK ${assets_from_build} ${PROJECT_BINARY_DIR}/assets SYMBOLIC)
