// The desktop's message bus.
#pragma once

namespace headlight {

// Whether there is one: GIO would start a bus of its own where there is none.
bool has_session_bus();

}  // namespace headlight
