// A report as files to pass on: one HTML page, or a PDF.
#pragma once

#include <string>

#include "app/report/report.h"

namespace headlight {

// One file that any browser shows without a connection: pictures are in it as data, and a
// Content-Security-Policy forbids every request and every script. Text of the report is escaped; only links
// to http and https addresses are links. A picture that the report does not have is named in its place.
std::string report_html(const Report& report);

// A4 pages, black on white. PNG pictures are as wide as the text at most; others are named in their place.
// `program`: recorded as the creator. Throws Error if a picture cannot be read.
std::string report_pdf(const Report& report, const std::string& program);

}  // namespace headlight
