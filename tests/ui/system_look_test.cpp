// The desktop's look, read from the settings portal: here a fake one on a private bus.
#include "app/platform/system_look.h"

#include <atomic>

#include "tests/support/catch.h"
#include "tests/support/fake_portal.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kLookInterface =
    "<node><interface name='org.freedesktop.portal.Settings'>"
    "<method name='Read'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='v' direction='out'/></method>"
    "<signal name='SettingChanged'><arg type='s'/><arg type='s'/><arg type='v'/></signal>"
    "</interface></node>";

// A fake desktop with a colour scheme.
class LookDesktop {
 public:
  explicit LookDesktop(guint32 scheme) : scheme_(scheme) {}

  void change_to(guint32 scheme) {
    scheme_ = scheme;
    portal.emit(
        nullptr, kPortalPath, "org.freedesktop.portal.Settings", "SettingChanged",
        g_variant_new("(ssv)", "org.freedesktop.appearance", "color-scheme", g_variant_new_uint32(scheme)));
  }

 private:
  static void answer(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*, GVariant*,
                     GDBusMethodInvocation* call, gpointer desktop) {
    GVariant* inner =
        g_variant_new_variant(g_variant_new_uint32(static_cast<LookDesktop*>(desktop)->scheme_));
    g_dbus_method_invocation_return_value(call, g_variant_new("(v)", inner));
  }
  static constexpr GDBusInterfaceVTable kTable = {&LookDesktop::answer, nullptr, nullptr, {}};

  std::atomic<guint32> scheme_;

 public:
  FakePortal portal{kLookInterface, kTable, this};
};

}  // namespace

TEST_CASE("system look: what the desktop says is known, and a change is noticed") {
  LookDesktop desktop(2);
  std::atomic<int> woken{0};
  SystemLookWatch watch([&] { ++woken; });
  REQUIRE(desktop.portal.iterate_until([&] { return watch.look() == SystemLook::Light; }));
  const int before = woken;
  desktop.change_to(1);
  CHECK(desktop.portal.iterate_until([&] { return watch.look() == SystemLook::Dark; }));
  CHECK(woken > before);
  desktop.change_to(0);
  CHECK(desktop.portal.iterate_until([&] { return !watch.look().has_value(); }));
}

TEST_CASE("system look: without a session bus nothing is known and nothing is waited for") {
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_setenv("XDG_RUNTIME_DIR", "/nowhere", TRUE);
  const SystemLookWatch watch([] {});
  CHECK_FALSE(watch.look().has_value());
}
