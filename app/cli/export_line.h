// The options of `headlight export`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/array_line.h"
#include "app/cli/commands.h"
#include "app/cli/page_line.h"
#include "app/cli/text_line.h"

namespace CLI {
class App;
}

namespace headlight {

inline constexpr const char* kHeadsHelp =
    "0, or 0,2, or all (the default); or mean or max: each cell's mean over all heads, or its largest number";
inline constexpr const char* kWithoutFirstHelp =
    "the weights without the first key, each row made to sum to 1 again";
// Parses "0", "0,2" or "all"; none: all, also for "mean" and "max". Throws a usage error.
std::optional<std::vector<Index>> parse_heads(const std::string& text);
HeadPool parse_head_pool(const std::string& text);
std::vector<std::string> stage_names();

class ExportLine {
 public:
  // Adds the options to the command, which stores their values here when it is parsed: this must not move.
  void add_to(CLI::App& command);
  // Throws a usage error.
  ExportOptions options() const;

 private:
  void add_choice(CLI::App& command);
  void add_look(CLI::App& command);
  void add_panels(CLI::App& command);
  void read_look(FigureOptions& figure) const;

  TextLine text_;
  ArrayLine arrays_;
  std::vector<std::string> files_, hidden_;
  std::string output_, format_ = "png", stages_, heads_ = "all", kind_ = "heads", compared_, rows_, columns_;
  PageLine page_;
  std::string theme_ = "light", ground_, map_, range_, lines_ = "auto";
  std::string title_, subtitle_, panel_title_, row_stages_;
  Index query_ = -1;
  int decimals_ = 4, panel_columns_ = 0;
  bool force_ = false, own_range_ = false, by_value_ = false, without_first_key_ = false,
       columns_below_ = false, without_first_ = false, has_title_ = false, has_subtitle_ = false,
       has_decimals_ = false;
};

}  // namespace headlight
