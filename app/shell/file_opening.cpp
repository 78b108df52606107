#include "app/shell/file_opening.h"

#include <new>
#include <utility>

#include "app/shell/model_session.h"

namespace headlight {
namespace {

void read(OpenedFile& opened) {
  const std::filesystem::path& path = opened.requested.path;
  opened.of_model = is_model(path);
  if (opened.of_model) {
    opened.session = model_session(path, opened.requested.text);
  } else {
    opened.stamp = stamp_of(path);
    opened.session = load_session(path, &opened.faults, opened.requested.model);
  }
}

}  // namespace

void FileOpening::start(OpenRequest requested) {
  job_.start([requested = std::move(requested)] {
    OpenedFile opened;
    opened.requested = requested;
    try {
      read(opened);
    } catch (const Stopped&) {  // the result is not needed any more
    } catch (const ModelNotFound& error) {
      opened.failure = error.what();
      opened.missing_model = error.name();
    } catch (const Error& error) {
      opened.failure = error.what();
    } catch (const std::bad_alloc&) {
      opened.failure =
          "There is not enough memory to open " + requested.path.string() + ": close other programs";
    }
    return opened;
  });
}

}  // namespace headlight
