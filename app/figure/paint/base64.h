// Base64 (RFC 4648), the encoding of bytes in data: URLs.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

std::string base64(std::string_view bytes);

}  // namespace headlight
