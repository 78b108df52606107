#include "app/desktop/file_portal.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "app/desktop/bus_thread.h"

namespace headlight {
namespace {

constexpr const char* kChooser = "org.freedesktop.portal.FileChooser";
constexpr const char* kRequest = "org.freedesktop.portal.Request";

// A path in the portal's form: its bytes and a zero.
GVariant* path_bytes(const std::filesystem::path& path) {
  return g_variant_new_bytestring(path.c_str());
}

void add_filter(GVariantBuilder& filters, const char* name, const std::vector<std::string>& endings) {
  GVariantBuilder patterns;
  g_variant_builder_init(&patterns, G_VARIANT_TYPE("a(us)"));
  for (const std::string& ending : endings)
    g_variant_builder_add(&patterns, "(us)", 0u, ("*" + ending).c_str());
  g_variant_builder_add(&filters, "(sa(us))", name, &patterns);
}

GVariant* options_of(const FileRequest& requested, const std::string& token) {
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
  const auto add = [&](const char* name, GVariant* value) {
    g_variant_builder_add(&options, "{sv}", name, value);
  };
  add("handle_token", g_variant_new_string(token.c_str()));
  add("modal", g_variant_new_boolean(TRUE));
  if (!requested.folder.empty()) add("current_folder", path_bytes(requested.folder));
  if (requested.kind == FileRequest::Kind::Save)
    add("current_name", g_variant_new_string(requested.name.c_str()));
  if (!requested.endings.empty()) {
    GVariantBuilder filters;
    g_variant_builder_init(&filters, G_VARIANT_TYPE("a(sa(us))"));
    add_filter(filters, "Headlight", requested.endings);
    add_filter(filters, "All files", {""});
    add("filters", g_variant_builder_end(&filters));
  }
  return g_variant_builder_end(&options);
}

// The first file of a response; none if it is not a local file.
std::optional<std::filesystem::path> file_in(GVariant* results) {
  const gchar** uris = nullptr;
  std::optional<std::filesystem::path> path;
  if (!g_variant_lookup(results, "uris", "^a&s", &uris)) return path;
  if (uris[0]) {
    if (gchar* name = g_filename_from_uri(uris[0], nullptr, nullptr)) {
      path = name;
      g_free(name);
    }
  }
  g_free(uris);
  return path;
}

}  // namespace

struct FilePortal::State {
  std::function<void()> wake;
  std::atomic<bool> available{false}, asking{false};
  std::mutex mutex;
  std::optional<FileAnswer> answer;  // guarded by the mutex
  BusThread thread;
  // Used by the thread only:
  GDBusConnection* bus = nullptr;
  guint response = 0;   // the subscription to the response of the open dialog
  std::string request;  // the open dialog's object path on the bus
  unsigned asked = 0;   // number of dialogs so far, for unique object paths
  guint watch = 0;      // the watch for the portal's name on the bus

  void stop_listening() {
    if (response != 0) g_dbus_connection_signal_unsubscribe(bus, std::exchange(response, 0));
  }

  void end(FileAnswer with) {
    stop_listening();
    if (!asking) return;
    {
      const std::scoped_lock lock(mutex);
      answer = std::move(with);
    }
    asking = false;
    wake();
  }

  static void responded(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*,
                        GVariant* parameters, gpointer data) {
    State& state = *static_cast<State*>(data);
    if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})"))) return state.end({});
    guint32 how = 2;
    GVariant* results = nullptr;
    g_variant_get(parameters, "(u@a{sv})", &how, &results);
    const auto file = how == 0 ? file_in(results) : std::nullopt;
    g_variant_unref(results);
    if (file) return state.end({FileAnswer::Kind::Chosen, *file});
    state.end({how == 1 ? FileAnswer::Kind::Cancelled : FileAnswer::Kind::Failed, {}});
  }

  void listen_to(const std::string& request) {
    stop_listening();
    response =
        g_dbus_connection_signal_subscribe(bus, kPortal, kRequest, "Response", request.c_str(), nullptr,
                                           G_DBUS_SIGNAL_FLAGS_NONE, &State::responded, this, nullptr);
  }

  // The portal has accepted the call. Old portals choose another object path for the request.
  static void opened(GObject* bus, GAsyncResult* result, gpointer data) {
    State& state = *static_cast<State*>(data);
    GVariant* reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, nullptr);
    if (!reply) return state.end({});
    const gchar* request = nullptr;
    g_variant_get(reply, "(&o)", &request);
    if (state.asking && request != state.request) state.listen_to(state.request = request);
    g_variant_unref(reply);
  }

  void open(const FileRequest& requested, const std::string& parent) {
    const std::string token = "headlight" + std::to_string(++asked);
    // ":1.42" is "1_42" in object paths of requests. The response may arrive before the call returns.
    std::string sender = g_dbus_connection_get_unique_name(bus) + 1;
    for (char& c : sender)
      if (c == '.') c = '_';
    request = std::string(kPortalPath) + "/request/" + sender + "/" + token;
    listen_to(request);
    const char* method = requested.kind == FileRequest::Kind::Open ? "OpenFile" : "SaveFile";
    g_dbus_connection_call(
        bus, kPortal, kPortalPath, kChooser, method,
        g_variant_new("(ss@a{sv})", parent.c_str(), requested.title.c_str(), options_of(requested, token)),
        G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, -1, thread.cancel(), &State::opened, this);
  }

  // The portal has left the bus and will not answer.
  static void vanished(GDBusConnection*, const gchar*, gpointer data) {
    State& state = *static_cast<State*>(data);
    state.available = false;
    state.end({});
  }
  static void appeared(GDBusConnection*, const gchar*, const gchar*, gpointer data) {
    State& state = *static_cast<State*>(data);
    g_dbus_connection_call(state.bus, kPortal, kPortalPath, "org.freedesktop.DBus.Properties", "Get",
                           g_variant_new("(ss)", kChooser, "version"), G_VARIANT_TYPE("(v)"),
                           G_DBUS_CALL_FLAGS_NONE, -1, state.thread.cancel(), &State::version_received, data);
  }
  // Portals without a file chooser answer with an error.
  static void version_received(GObject* bus, GAsyncResult* result, gpointer data) {
    GVariant* reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, nullptr);
    if (!reply) return;
    g_variant_unref(reply);
    static_cast<State*>(data)->available = true;
  }

  void begin(GDBusConnection* connection) {
    bus = connection;
    watch = g_bus_watch_name_on_connection(bus, kPortal, G_BUS_NAME_WATCHER_FLAGS_AUTO_START,
                                           &State::appeared, &State::vanished, this, nullptr);
  }
  void finish() {
    g_bus_unwatch_name(watch);
    stop_listening();
  }
};

FilePortal::FilePortal(std::function<void()> wake) : state_(std::make_unique<State>()) {
  state_->wake = std::move(wake);
  state_->thread.start([state = state_.get()](GDBusConnection* bus) { state->begin(bus); },
                       [state = state_.get()](GDBusConnection*) { state->finish(); });
}

FilePortal::~FilePortal() {
  state_->thread.stop();
}

bool FilePortal::available() const {
  return state_->available;
}

bool FilePortal::asking() const {
  return state_->asking;
}

void FilePortal::ask(const FileRequest& requested, const std::string& parent) {
  state_->asking = true;
  state_->thread.invoke([state = state_.get(), requested, parent] { state->open(requested, parent); });
}

std::optional<FileAnswer> FilePortal::take_answer() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->answer, std::nullopt);
}

}  // namespace headlight
