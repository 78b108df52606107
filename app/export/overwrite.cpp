#include "app/export/overwrite.h"

#include "engine/core/error.h"

namespace headlight {

void require_free(const std::filesystem::path& file, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::is_regular_file(file, ignored))
    throw Error("the file exists already", file.string(), "choose another name, or add --force");
}

}  // namespace headlight
