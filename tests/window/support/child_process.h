// A program that a test starts, and ends: it and its children, nothing else.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight_test {

class ChildProcess {
 public:
  // Starts `command` (looked up in PATH) in a process group of its own, with `environment` added to this
  // process's. What it prints goes to `log`. `passed_fd` stays open in it under the number 3.
  ChildProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
               const std::filesystem::path& log, int passed_fd = -1);
  // Asks it to end, and makes it after two seconds.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Its exit status if it has ended; 128 + n when signal n ended it.
  std::optional<int> exit_status();

 private:
  pid_t pid_ = -1;
  std::optional<int> exit_status_;
};

// Runs a command to its end. `output` is what it printed, both streams together.
struct RunResult {
  int exit_status = 0;
  std::string output;
};
RunResult run(const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment = {});

// Throws std::runtime_error that names the package when the program is not in PATH.
void require_program(const std::string& program, const std::string& package);

// A whole text file; "" when it can't be read.
std::string text_of(const std::filesystem::path& path);

}  // namespace headlight_test
