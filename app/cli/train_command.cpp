#include "app/cli/commands.h"
#include "app/cli/session_training.h"
#include "app/export/exported_files.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// Whether the loss after so many of `steps` steps is written: after the first and the last one, after each
// tenth of all, and after 1, 2 and 5 times each power of ten.
bool is_written(Index done, Index steps) {
  if (done == 0 || done == steps || (steps % 10 == 0 && done % (steps / 10) == 0)) return true;
  Index power = 1;
  while (power <= done / 10)
    power *= 10;
  return done == power || done == 2 * power || done == 5 * power;
}

}  // namespace

void train_session(const TrainOptions& options, std::ostream& out, std::ostream& err) {
  if (options.output.extension() != ".headlight")
    throw Error("the trained session is saved as .headlight only", options.output.string(),
                "give a name that ends in .headlight");
  require_free(options.output, options.force);
  Session session = load_session(options.file);
  require_trainable(session, options.file, err);
  try {
    LayerTraining training(session.layer, *session.goal, *session.training);
    for (Index done = 0; done <= options.steps; ++done) {
      if (done > 0) training.step();
      require_converging(training);
      if (is_written(done, options.steps))
        out << "step " << training.step_number() << ", loss " << training.loss() << std::endl;
    }
    session.layer = training.layer();
    session.training = training.settings();
  } catch (const Error& error) {
    throw error.inside(options.file.string());
  }
  save_session(session, options.output);
  out << options.output.string() << " saved\n";
}

}  // namespace headlight
