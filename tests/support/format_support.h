// Shared by the tests of the file formats: checks of `Error` messages, and bytes of .npy files.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"

namespace headlight_test {

namespace fs = std::filesystem;

// Returns the `Error` that `action` throws; fails the test if it throws none.
template <class Action>
headlight::Error error_of(Action action) {
  try {
    action();
  } catch (const headlight::Error& error) {
    return error;
  }
  FAIL("no Error was thrown");
  return headlight::Error("", "", "");
}

// Checks that each of the three parts of the message contains the given text and that the hint is not empty.
template <class Action>
void check_error(Action action, const std::string& what, const std::string& where, const std::string& hint) {
  const headlight::Error error = error_of(action);
  INFO(error.what());
  CHECK_THAT(error.summary(), ContainsSubstring(what));
  CHECK_THAT(error.where(), ContainsSubstring(where));
  CHECK_THAT(error.hint(), ContainsSubstring(hint));
  CHECK(error.hint() != "");
}

// The bytes of the values in this machine's order, which is little-endian.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::string swapped_bytes_of(const std::vector<T>& values) {
  std::string bytes = bytes_of(values);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  return bytes;
}

// A .npy file from its parts: `header` is the Python dictionary.
inline std::string npy_file(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const std::size_t width = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < width; ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

inline std::string npy_header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }          \n";
}

}  // namespace headlight_test
