// Nothing in this library is destroyed at exit: a program's own exit handlers may still run kernels (libgomp runs the
// destructors of device code there), and they run after the destructors of a library that was loaded later.
#include <dlfcn.h>

/// What the compiler calls to have a static object destroyed; this definition is the library's own. A function given to
/// atexit(), which comes here without an object, is called as ever.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*function)(void*), void* object, void* library) {
  if (object) return 0;
  static auto* const next = reinterpret_cast<decltype(&__cxa_atexit)>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return next ? next(function, object, library) : -1;
}
