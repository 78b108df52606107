// What becomes of memory that is no longer needed.
#pragma once

namespace headlight {

// From now on freed memory of up to 64 MB stays with the process. Every edit makes some hundred tiles of a
// quarter of a megabyte and frees those before; handed back to the system and asked for again, each of their
// pages costs as much as what is computed in it. Matrices above 8 MB are still handed back at once. For
// programs, at their start: it holds for the whole process. Does nothing where the C library is not GNU's.
void keep_freed_memory();

}  // namespace headlight
