#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/export/stage_numbers.h"
#include "app/terminal/weight_note.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"

namespace headlight {

void compute_stages(const Source& source, const std::filesystem::path& output, bool force,
                    std::ostream& err) {
  if (output.extension() != ".npz")
    throw Error("the stages are saved as .npz only", output.string(), "give a name that ends in .npz");
  require_free(output, force);
  const Evaluator evaluator = evaluate(load_source(source, err).layer);
  note_weights(evaluator.layer(), source.path, err);
  write_npz(output, every_stage({evaluator, ""}));
}

}  // namespace headlight
