// What may stand at the end of a command line, by the declarations that parse it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headlight {

// The candidates for the last of `words`, those behind the program's name; it may be empty or begun. Files
// and folders are not listed: "@files", with the endings that are meant behind it ("@files headlight gguf"),
// or "@folders" stands for them. The values of an option are those in the braces of its type ("NAME:{a,b}");
// of a list with commas the last is completed.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace headlight
