#include "app/desktop/session_bus.h"

#include <cstdlib>
#include <filesystem>

namespace headlight {

bool has_session_bus() {
  const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address && *address) return true;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  std::error_code none;
  return folder && *folder && std::filesystem::exists(std::filesystem::path(folder) / "bus", none);
}

}  // namespace headlight
