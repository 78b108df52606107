// The program: the command line first, then the window.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include "app/cli/command_line.h"
#include "app/shell/start.h"
#include "app/terminal/visible_output.h"
#include "engine/core/freed_memory.h"
#include "engine/core/visible_text.h"

namespace {

// Opens closed standard streams: otherwise the next file would get the number of the stream, and output would
// be written to it. Standard output is opened read-only, so that writing to it remains an error.
void open_closed_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) (void)!open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

// Beyond a limit on file sizes a write shall fail with an error that is reported, after which the partial
// file is removed. The default action of the signal ends the program without a message.
void let_large_files_fail() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  const auto started = std::chrono::steady_clock::now();
  open_closed_standard_streams();
  let_large_files_fail();
  headlight::retain_freed_memory();
  const headlight::VisibleOutput out(std::cout), err(std::cerr);
  try {
    const headlight::CommandLine line = headlight::run_command_line(argc, argv, std::cout, std::cerr);
    if (line.exit_status) return *line.exit_status;
    return headlight::checked_output(headlight::run_window(line, started), std::cout, std::cerr);
  } catch (const std::bad_alloc&) {
    std::cerr << "headlight: there is not enough memory (close other programs, or take a smaller session)\n";
    return headlight::kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "headlight: " << headlight::visible_text(error.what()) << '\n';
    return headlight::kBadInput;
  }
}
