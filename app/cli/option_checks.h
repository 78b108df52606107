// Checks of option values.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace headlight {

// For CLI11: returns "" if the text is valid, else an error message.
using OptionCheck = std::function<std::string(const std::string&)>;

// A number within these bounds (of at most one decimal). Refuses "nan", "inf" and text after the number.
OptionCheck number_between(double least, double most);
// The name of a file or a folder.
OptionCheck file_name();

// Declares --changes FILE, which may be given several times: see ChangedPass.
void add_changes(CLI::App& command, std::vector<std::string>& sources, const std::string& what);

// The type of an option for help and completion: "NAME:{a,b}". Checks nothing.
std::string words_type(const std::string& name, const std::vector<std::string>& words);

// "1280x800": width and height, each within these bounds. Throws a usage error.
std::pair<int, int> parse_pixels(const std::string& option, const std::string& text, int least, int most);

}  // namespace headlight
