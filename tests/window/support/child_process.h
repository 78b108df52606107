// A program that a test starts, and ends with its child processes.
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
  // Starts `command` (looked up in PATH) in a new process group, with `environment` added to this process's.
  // Its output goes to `log`. `passed_fd` is its descriptor 3.
  ChildProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
               const std::filesystem::path& log, int passed_fd = -1);
  // Sends SIGTERM, and SIGKILL after two seconds.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // The exit status if the program has ended; 128 + n if signal n ended it.
  std::optional<int> exit_status();

 private:
  pid_t pid_ = -1;
  std::optional<int> exit_status_;
};

// The result of run(); `output` has both output streams.
struct RunResult {
  int exit_status = 0;
  std::string output;
};
RunResult run(const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment = {});

// Throws std::runtime_error that names the package if the program is not in PATH.
void require_program(const std::string& program, const std::string& package);

// The contents of a text file; "" if it cannot be read.
std::string text_of(const std::filesystem::path& path);

}  // namespace headlight_test
