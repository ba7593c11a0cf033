// Options of the benchmark programs: --name=value and --name, nothing else.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>

namespace bench {

class Options {
public:
  Options(int argc, char** argv, std::initializer_list<const char*> known) {
    for (int i = 1; i < argc; ++i) {
      const std::string text = argv[i];
      const size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      bool found = false;
      for (const char* k : known) found = found || name == std::string("--") + k;
      if (!found) {
        std::fprintf(stderr, "%s does not know %s\n", argv[0], argv[i]);
        std::exit(2);
      }
      values_[name.substr(2)] = equals == std::string::npos ? "1" : text.substr(equals + 1);
    }
  }
  std::string get(const std::string& name, const std::string& otherwise = "") const {
    const auto it = values_.find(name);
    return it == values_.end() ? otherwise : it->second;
  }
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  int number(const std::string& name, int otherwise) const { return has(name) ? std::atoi(get(name).c_str()) : otherwise; }

private:
  std::map<std::string, std::string> values_;
};

} // namespace bench
