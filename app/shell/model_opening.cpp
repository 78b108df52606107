#include "app/shell/model_opening.h"

#include <new>
#include <utility>

#include "app/shell/model_session.h"
#include "engine/core/error.h"

namespace headlight {

void ModelOpening::start(const std::filesystem::path& path, std::uint64_t revision) {
  job_.start([path, revision] {
    OpenedModel opened{path, revision, {}, {}};
    try {
      opened.session = model_session(path);
    } catch (const Stopped&) {  // nobody waits for it
    } catch (const Error& error) {
      opened.failure = error.what();
    } catch (const std::bad_alloc&) {
      opened.failure = "There is not enough memory to open " + path.string() + ": close other programs";
    }
    return opened;
  });
}

}  // namespace headlight
