// Session files: an accepted session survives being written and read.
#include "engine/session/session.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  const std::filesystem::path nowhere = "/var/empty/headlight";
  Session session;
  try {
    session = parse_session(text, nowhere, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const std::string written = must_succeed([&] { return session_text(session); });
  const Session back = must_succeed([&] { return parse_session(written, nowhere, "written"); });
  require(must_succeed([&] { return session_text(back); }) == written, "a session is written the same twice");
  return 0;
}
