#include "app/shell/file_opening.h"

#include <new>
#include <utility>

#include "app/shell/model_session.h"

namespace headlight {
namespace {

void read(OpenedFile& opened) {
  const std::filesystem::path& path = opened.wish.path;
  opened.of_model = is_model(path);
  if (opened.of_model) {
    opened.session = model_session(path);
  } else {
    opened.stamp = stamp_of(path);
    opened.session = load_session(path, &opened.faults);
  }
}

}  // namespace

void FileOpening::start(OpeningWish wish) {
  job_.start([wish = std::move(wish)] {
    OpenedFile opened;
    opened.wish = wish;
    try {
      read(opened);
    } catch (const Stopped&) {  // nobody waits for it
    } catch (const Error& error) {
      opened.failure = error.what();
    } catch (const std::bad_alloc&) {
      opened.failure = "There is not enough memory to open " + wish.path.string() + ": close other programs";
    }
    return opened;
  });
}

}  // namespace headlight
