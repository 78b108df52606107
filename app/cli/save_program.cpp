#include "app/cli/save_program.h"

#include <utility>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"

namespace headlight {

std::filesystem::path arrays_beside(const std::filesystem::path& program) {
  return std::filesystem::path(program).replace_extension(".npz");
}

bool save_program(const Layer& layer, const std::string& title, const ProgramRequest& request,
                  ProgramKind kind, const std::filesystem::path& program) {
  const std::filesystem::path beside = arrays_beside(program);
  ProgramWithArrays made = program_with_arrays(layer, title, request, kind, beside.filename().string());
  std::vector<NamedArray> arrays;
  for (ProgramArray& array : made.arrays)
    arrays.push_back({std::move(array.name), std::move(array.shape), std::move(array.values)});
  if (!arrays.empty()) write_npz(beside, arrays);
  write_file_atomically(program, made.text);
  return !arrays.empty();
}

}  // namespace headlight
