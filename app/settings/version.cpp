#include "app/settings/version.h"

namespace headlight {

const char* const kVersion = HEADLIGHT_VERSION;

}  // namespace headlight
