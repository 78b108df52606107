# `cpack -G DEB` in the build folder makes a package for the Debian of this machine:
# headlight_VERSION-1~debN_ARCH.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Headlight authors <headlight@headlight.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "desktop workbench for attention, number by number")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Headlight looks into attention, the mechanism at the heart of every language
model. One window holds the tokens, the embeddings, the weights and every
stage that attention computes from them. Change any number and every heatmap
follows at once; point at any cell and see the sum of products it comes from;
save any heatmap as an image.

The same seed gives the same weights and the same dropout as PyTorch. It works
offline and without Python.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time: the OpenGL driver, the X11 extensions that GLFW uses, the fonts.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libxcursor1, libxi6, libxinerama1, libxrandr2, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri, fonts-inter")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The changelog of the package, in Debian's format.
set(debian_release 1)
if(EXISTS /etc/debian_version)
  file(STRINGS /etc/os-release debian_number REGEX "^VERSION_ID=")
  string(REGEX REPLACE "[^0-9.]" "" debian_number "${debian_number}")
  if(debian_number)
    string(APPEND debian_release ~deb${debian_number})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email --date ${HEADLIGHT_RELEASE_DATE}
                  OUTPUT_VARIABLE HEADLIGHT_CHANGED_AT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(CONFIGURE OUTPUT ${prepared}/changelog.Debian @ONLY CONTENT
"headlight (@PROJECT_VERSION@-@debian_release@) stable; urgency=medium

  * Version @PROJECT_VERSION@; what is new in it stands in changelog.gz.

 -- @CPACK_PACKAGE_CONTACT@  @HEADLIGHT_CHANGED_AT@
")
  headlight_install_packed(${prepared}/changelog.Debian changelog.Debian ${CMAKE_INSTALL_DOCDIR})
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${debian_release})
include(CPack)
