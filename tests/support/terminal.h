// A terminal for a program that a test starts: what is typed into it, and what it shows.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

class Terminal {
 public:
  Terminal() : side_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    BOOST_REQUIRE((side_ >= 0 && ::grantpt(side_) == 0 && ::unlockpt(side_) == 0));
    path = ::ptsname(side_);
  }
  ~Terminal() { ::close(side_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& text) const {
    BOOST_REQUIRE(::write(side_, text.data(), text.size()) == ssize_t(text.size()));
  }
  // After the program has ended; it must have shown less than the 4 KB that a terminal keeps.
  std::string shown() const {
    std::string text(10000, '\0');
    text.resize(size_t(std::max<ssize_t>(0, ::read(side_, text.data(), text.size()))));
    std::erase(text, '\r');
    return text;
  }

  std::string path;  // to open it: 80 columns wide

 private:
  int side_;
};
