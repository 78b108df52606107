// Tables on the clipboard: what is accepted can be copied in every notation and pasted unchanged.
#include "engine/arrays/table_text.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Matrix matrix;
  try {
    matrix = parse_table_text(text_of(data, size));
  } catch (const Error&) {
    return 0;
  }
  for (const std::string& text : {tsv_text(matrix), numpy_text(matrix), torch_text(matrix)}) {
    const Matrix back = must_succeed([&] { return parse_table_text(text); });
    require(same_matrix_with_nan(back, matrix), "a table is pasted as it was copied");
  }
  return 0;
}
