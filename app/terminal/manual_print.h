// The manual's pages as plain text for a terminal.
#pragma once

#include <ostream>

#include "app/terminal/manual_page.h"

namespace headlight {

// Writes the page in lines of at most `columns` columns, if words allow. Precondition: columns >= 40.
void print_manual_page(const ManualPage& page, std::size_t columns, std::ostream& out);

}  // namespace headlight
