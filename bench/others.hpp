// How much of the processors others used while something was measured: what /proc/stat counts beyond our own processes.
#pragma once
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <time.h>
#include <unistd.h>

namespace bench {

class Others {
public:
  /// `ours`: processes whose time is not others' (this one's is not either).
  explicit Others(std::vector<pid_t> ours) : ours_(std::move(ours)) { ours_.push_back(getpid()); }
  /// Share of all processors since the last call, 0 to 1. Ticks are 10 ms, so that a few of them say nothing.
  double share() {
    const Mark now = mark();
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK)) * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    const double whole = (now.seconds - last_.seconds) * ticks, foreign = (now.busy - last_.busy) - (now.own - last_.own);
    last_ = now;
    return whole > 0 ? std::clamp(foreign / whole, 0.0, 1.0) : 0;
  }

private:
  struct Mark {
    double seconds = 0, busy = 0, own = 0;
  };
  Mark mark() const {
    Mark m;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    m.seconds = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    if (std::FILE* f = std::fopen("/proc/stat", "r")) {
      double user, nice, system, idle, wait, irq, soft, steal;
      if (std::fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal) == 8)
        m.busy = user + nice + system + irq + soft + steal;
      std::fclose(f);
    }
    for (pid_t p : ours_)
      if (std::FILE* f = std::fopen(("/proc/" + std::to_string(p) + "/stat").c_str(), "r")) {
        double user, system; // of all its threads
        if (std::fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &user, &system) == 2)
          m.own += user + system;
        std::fclose(f);
      }
    return m;
  }
  std::vector<pid_t> ours_;
  Mark last_ = mark();
};

} // namespace bench
