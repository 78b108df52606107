// Tables in files: matrices, which must survive being written and read, and tables of token vectors.
#include "engine/array_import/token_table.h"
#include "engine/arrays/table_file.h"
#include "engine/arrays/table_text.h"
#include "tests/fuzz/fuzz_support.h"

using namespace headlight;
using namespace headlight_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = text_of(data, size);
  try {
    const TokenTable tokens = parse_token_table(text, "fuzz");
    require(tokens.vectors.rows() == static_cast<Index>(tokens.tokens.size()), "a token has one vector");
  } catch (const Error&) {
  }
  TableFile table;
  try {
    table = parse_table_file(text, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const auto fits = [](const std::vector<std::string>& labels, Index count) {
    return labels.empty() || static_cast<Index>(labels.size()) == count;
  };
  require(fits(table.row_labels, table.values.rows()), "every row has a label, or none has");
  require(fits(table.column_labels, table.values.cols()), "every column has a label, or none has");
  const std::string written = tsv_text(table.values);
  const TableFile back = must_succeed([&] { return parse_table_file(written, "written"); });
  require(same_matrix_with_nan(back.values, table.values), "a table is read as it was written");
  return 0;
}
