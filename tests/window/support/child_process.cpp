#include "tests/window/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace headlight_test {
namespace fs = std::filesystem;

namespace {

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// Runs in the child after fork, so that nothing here may allocate.
[[noreturn]] void become(char* const* arguments, char* const* environment, int log, int passed_fd) {
  setpgid(0, 0);
  for (const int ends : {SIGHUP, SIGINT, SIGTERM})
    signal(ends, SIG_DFL);  // below nohup they are ignored, also by what is started
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (passed_fd == 3) fcntl(3, F_SETFD, 0);  // dup2 onto itself keeps FD_CLOEXEC
  if (passed_fd >= 0) dup2(passed_fd, 3);
  execvpe(arguments[0], arguments, environment);
  _exit(127);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) merged.push_back(text);
  }
  for (const auto& [name, value] : added)
    merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts)
    list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::map<std::string, std::string>& environment, const fs::path& log,
                           int passed_fd) {
  std::vector<std::string> arguments = command, variables = merged_environment(environment);
  const std::vector<char*> argument_list = pointers(arguments), variable_list = pointers(variables);
  const int log_fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0) throw std::runtime_error("can't write to " + log.string());
  pid_ = fork();
  if (pid_ == 0) become(argument_list.data(), variable_list.data(), log_fd, passed_fd);
  close(log_fd);
  if (pid_ < 0) throw std::runtime_error("can't start " + command.front());
  setpgid(pid_, pid_);  // both processes call it, so that the order does not matter
}

ChildProcess::~ChildProcess() {
  if (exit_status()) return;
  kill(-pid_, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!exit_status() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (exit_status()) return;
  kill(-pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
}

std::optional<int> ChildProcess::exit_status() {
  int status = 0;
  if (!exit_status_ && waitpid(pid_, &status, WNOHANG) == pid_) exit_status_ = status_of(status);
  return exit_status_;
}

RunResult run(const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment) {
  const TemporaryFolder folder;
  const fs::path log = folder.path() / "log";
  ChildProcess child(command, environment, log);
  int status = 0;
  std::optional<int> ended;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!(ended = child.exit_status())) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(command.front() + " has not ended within 60 s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  status = *ended;
  return {status, text_of(log)};
}

void require_program(const std::string& program, const std::string& package) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return;
  }
  throw std::runtime_error("the tests of the window need " + program + ": install the package " + package);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace headlight_test
