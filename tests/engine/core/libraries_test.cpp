// The libraries that the program links do not take the place of the C library's functions: those that are
// loaded later, such as drivers of graphics, would call theirs.
#include <dlfcn.h>
#include <link.h>

#include <string>

#include "tests/support/catch.h"

using headlight_test::ContainsSubstring;

namespace {

std::string file_name(const char* path) {
  const std::string text = path ? path : "";
  return text.substr(text.rfind('/') + 1);
}

bool is_sanitizer(const std::string& library) {
  return library.find("san.so") != std::string::npos;
}

// The library that the program's functions are looked up in first, without the program itself and sanitizers.
std::string first_library() {
  std::string first;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const std::string name = file_name(info->dlpi_name);
        if (name.empty() || name.starts_with("linux-vdso") || is_sanitizer(name)) return 0;
        *static_cast<std::string*>(found) = name;
        return 1;
      },
      &first);
  return first;
}

}  // namespace

TEST_CASE("libraries: the C library comes before all others") {
  CHECK_THAT(first_library(), ContainsSubstring("libc.so"));
}

TEST_CASE("libraries: regular expressions of POSIX are those of the C library, not Oniguruma's") {
  for (const char* name : {"regcomp", "regexec", "regerror", "regfree"}) {
    INFO(name);
    Dl_info found;
    REQUIRE(dladdr(dlsym(RTLD_DEFAULT, name), &found) != 0);
    const std::string library = file_name(found.dli_fname);
    CHECK((library.starts_with("libc.so") || is_sanitizer(library)));
  }
}
