#include "tests/support/places.h"

namespace headlight_test {

std::string source_root() {
  return HEADLIGHT_SOURCES;
}

std::string build_root() {
  return HEADLIGHT_BUILD;
}

std::string built_program() {
  return build_root() + "/app/headlight";
}

}  // namespace headlight_test
