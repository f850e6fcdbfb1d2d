// Fetching the data sets of the character language models: curl downloads, unzip unpacks, and what came out is checked.
//
//   fetch_data("enwik8", "data", [](const std::string& text) { std::puts(text.c_str()); })    // data/enwik8
#pragma once

#include <string>

#include "system/function_ref.h"

namespace heed {

struct FetchOptions {
  std::string base_url = {};  // where NAME.zip is; "": the page of the Large Text Compression Benchmark
  std::string curl = "curl", unzip = "unzip";  // the programs
};

// Puts enwik8 or text8 into the folder, and returns its path. Says in sentences what it does. A file that is there
// already and is right is kept; one that is wrong is an error, and is not overwritten. enwik8 must have 10^8 bytes and
// the known SHA-256, text8 10^8 bytes of a-z and blanks. Without a network, curl or unzip: an Error that says what to
// do by hand. So is a connection that stalls for a minute. What a fetch that was killed left in the folder is removed.
// On a terminal curl shows how far it is.
std::string fetch_data(const std::string& name, const std::string& folder, FunctionRef<void(const std::string&)> say,
                       const FetchOptions& options = {});

}  // namespace heed
