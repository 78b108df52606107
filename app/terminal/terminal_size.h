// The size of the terminal that standard output goes to.
#pragma once

#include <cstddef>
#include <optional>

namespace headlight {

// Columns of the terminal; none if standard output is a file or a pipe.
std::optional<std::size_t> terminal_columns();

}  // namespace headlight
