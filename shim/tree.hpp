// A folder in memory that looks like the parts of /dev, /sys and /proc that the device serves, so that libc's functions on
// paths and folders work on it as they are. Made when a path of it is first used, removed at exit.
#pragma once
#include <cstddef>
#include <limits.h>

namespace bz::shim {

struct Place {
  char real[PATH_MAX];   ///< the file in the tree
  char name[PATH_MAX];   ///< the path that the program means, without . and ..
  bool device = false;   ///< a character device: to be opened on the driver
  unsigned major = 0, minor = 0;
};

/// Whether the path (relative to dirfd as in openat) is one that the device serves, and where.
bool find_place(int dirfd, const char* path, Place& out);
/// Of a path below the tree, the part that the program knows; else the path itself.
const char* without_tree(const char* path);

void tree_after_fork();
void remove_tree();

} // namespace bz::shim
