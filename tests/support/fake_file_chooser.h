// A fake desktop with a file chooser on a private D-Bus bus, for tests of the desktop's file dialog.
#pragma once

#include <string>

#include "tests/support/fake_portal.h"

namespace headlight_test {

inline constexpr const char* kFileChooserInterface =
    "<node><interface name='org.freedesktop.portal.FileChooser'>"
    "<method name='OpenFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<method name='SaveFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<property name='version' type='u' access='read'/>"
    "</interface></node>";

struct AskedOfDesktop {
  int count = 0;
  std::string method, parent, title, token, sender, name, folder;
  gsize filters = 0;
};

// The desktop; its calls are served by portal.iterate_until().
class FakeFileChooser {
 public:
  AskedOfDesktop asked;
  bool refuses = false;    // answers each call with an error
  std::string own_handle;  // the request's object path, if the portal chooses it

  // Ends the dialog: 0 with a file, 1 cancelled, 2 otherwise.
  void respond(guint32 how, const char* uri = nullptr) {
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE("a{sv}"));
    if (uri) {
      const gchar* uris[] = {uri, nullptr};
      g_variant_builder_add(&results, "{sv}", "uris", g_variant_new_strv(uris, -1));
    }
    portal.emit(asked.sender.c_str(), handle().c_str(), "org.freedesktop.portal.Request", "Response",
                g_variant_new("(ua{sv})", how, &results));
  }

 private:
  std::string handle() const {
    if (!own_handle.empty()) return own_handle;
    std::string sender = asked.sender.substr(1);
    for (char& c : sender)
      if (c == '.') c = '_';
    return std::string(kPortalPath) + "/request/" + sender + "/" + asked.token;
  }

  static void call(GDBusConnection*, const gchar* sender, const gchar*, const gchar*, const gchar* method,
                   GVariant* parameters, GDBusMethodInvocation* call, gpointer data) {
    FakeFileChooser& desktop = *static_cast<FakeFileChooser*>(data);
    const gchar *parent = nullptr, *title = nullptr, *token = "", *name = "", *folder = "";
    GVariant* options = nullptr;
    g_variant_get(parameters, "(&s&s@a{sv})", &parent, &title, &options);
    g_variant_lookup(options, "handle_token", "&s", &token);
    g_variant_lookup(options, "current_name", "&s", &name);
    g_variant_lookup(options, "current_folder", "^&ay", &folder);
    desktop.asked = {desktop.asked.count + 1, method, parent, title, token, sender, name, folder, 0};
    if (GVariant* filters = g_variant_lookup_value(options, "filters", G_VARIANT_TYPE("a(sa(us))"))) {
      desktop.asked.filters = g_variant_n_children(filters);
      g_variant_unref(filters);
    }
    g_variant_unref(options);
    if (desktop.refuses)
      g_dbus_method_invocation_return_dbus_error(call, "org.freedesktop.portal.Error.Failed", "no dialog");
    else
      g_dbus_method_invocation_return_value(call, g_variant_new("(o)", desktop.handle().c_str()));
  }
  static GVariant* property(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*,
                            GError**, gpointer) {
    return g_variant_new_uint32(3);
  }

  static constexpr GDBusInterfaceVTable kTable = {
      &FakeFileChooser::call, &FakeFileChooser::property, nullptr, {}};

 public:
  FakePortal portal{kFileChooserInterface, kTable, this};
};

}  // namespace headlight_test
