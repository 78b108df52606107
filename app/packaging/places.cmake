# What the build tells the program about itself: its version, and where its assets are from where it is. Included
# by the folder that makes the libraries, as a definition of one source is seen only there.
include(GNUInstallDirs)

file(RELATIVE_PATH data_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/headlight)
set_source_files_properties(${PROJECT_SOURCE_DIR}/app/settings/assets.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_DATA_FROM_PROGRAM="${data_from_program}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/app/settings/version.cpp PROPERTIES
                            COMPILE_DEFINITIONS HEADLIGHT_VERSION="${PROJECT_VERSION}")

# In the build folder the program finds them as ../assets, and so do the tests.
file(RELATIVE_PATH assets_from_build ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/assets)
file(CREATE_LINK ${assets_from_build} ${PROJECT_BINARY_DIR}/assets SYMBOLIC)
