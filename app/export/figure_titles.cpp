#include "app/export/figure_titles.h"

namespace headlight {

std::string with_place(const std::string& title, const FigureOptions& options, const std::string& head) {
  std::string whole = title;
  for (const std::string& part : {options.place, head})
    if (!part.empty()) whole += ", " + part;
  return whole;
}

std::string subtitle_of(const std::string& session_title, const FigureOptions& options) {
  if (options.text.empty()) return session_title;
  return "“" + options.text + "”" + (session_title.empty() ? "" : " · ") + session_title;
}

}  // namespace headlight
