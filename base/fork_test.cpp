#include "base/fork.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace {

/// The exit code of a child that runs `body`.
template <class F> int in_child(F body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, OnlyChildrenMadeAfterTheWatchBeganKnow) {
  EXPECT_EQ(in_child([] { return bz::forked_child() ? 1 : 0; }), 0) << "forked before";
  bz::watch_forks();
  bz::watch_forks();
  EXPECT_FALSE(bz::forked_child());
  EXPECT_EQ(in_child([] { return bz::forked_child() ? 1 : 0; }), 1);
  EXPECT_EQ(in_child([] { return in_child([] { return bz::forked_child() ? 1 : 0; }); }), 1) << "a child's child";
  EXPECT_FALSE(bz::forked_child()) << "the parent goes on";
}

} // namespace
