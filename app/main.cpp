// The program: the command line first, then the window.
#include <chrono>
#include <exception>
#include <iostream>
#include <new>

#include "app/cli/command_line.h"
#include "app/shell/start.h"
#include "engine/core/freed_memory.h"

int main(int argc, char** argv) {
  const auto started = std::chrono::steady_clock::now();
  headlight::keep_freed_memory();
  try {
    const headlight::CommandLine line = headlight::run_command_line(argc, argv, std::cout, std::cerr);
    if (line.exit_status) return *line.exit_status;
    return headlight::run_window(line, started);
  } catch (const std::bad_alloc&) {
    std::cerr << "headlight: there is not enough memory (close other programs, or take a smaller session)\n";
    return headlight::kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "headlight: " << error.what() << '\n';
    return headlight::kBadInput;
  }
}
