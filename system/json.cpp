// The only file that includes nlohmann-json: it costs seconds to compile.
#include "system/json.h"

#include <climits>
#include <nlohmann/json.hpp>
#include <set>

#include "system/error.h"

namespace heed {
namespace {

using Library = nlohmann::ordered_json;
constexpr size_t kMaxDepth = 100;  // values are destroyed recursively: a file must not decide how deep

// Builds a Json from what the library's parser meets. Each call returns true: go on.
class Builder : public nlohmann::json_sax<Library> {
 public:
  explicit Builder(const std::string& what) : what_(what) {}
  Json take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(long(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return value <= LONG_MAX ? add(long(value)) : add(double(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override { return open(true); }
  bool start_array(size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    HEED_CHECK(open_.back().names.insert(name).second, "json", what_, " has the name \"", name,
               "\" twice in one object; each may stand there once");
    open_.back().name = name;
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception&) override {
    fail("json", what_, " is not JSON; the first error is at byte ", byte);
  }

 private:
  struct Open {
    bool object;
    Json::Array items = {};
    Json::Object members = {};
    std::set<std::string> names = {};
    std::string name = {};  // of the member to come
  };

  bool add(Json value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (open_.back().object)
      open_.back().members.emplace_back(std::move(open_.back().name), std::move(value));
    else
      open_.back().items.push_back(std::move(value));
    return true;
  }
  bool open(bool object) {
    HEED_CHECK(open_.size() < kMaxDepth, "json", what_, " is nested more than ", kMaxDepth, " levels deep");
    open_.push_back({.object = object});
    return true;
  }
  bool close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    return done.object ? add(std::move(done.members)) : add(std::move(done.items));
  }

  const std::string& what_;
  Json root_;
  std::vector<Open> open_;
};

Library to_library(const Json& json) {
  if (json.is_bool()) return json.truth();
  if (json.is_integer()) return json.integer();
  if (json.is_number()) return json.number();
  if (json.is_text()) return json.text();
  Library out;
  if (json.is_array()) out = Library::array();
  if (json.is_object()) out = Library::object();
  if (json.is_array())
    for (const Json& item : json.items()) out.push_back(to_library(item));
  if (json.is_object()) {  // behind the last: the library's emplace would look through all names for each
    auto& members = out.get_ref<Library::object_t&>();
    for (const auto& [name, value] : json.members()) members.emplace_back(name, to_library(value));
  }
  return out;
}

const char* kind_of(const Json& json) {
  return json.is_null()      ? "null"
         : json.is_bool()    ? "true or false"
         : json.is_integer() ? "an integer"
         : json.is_number()  ? "a number"
         : json.is_text()    ? "a text"
         : json.is_array()   ? "an array"
                             : "an object";
}

template <class Wanted, class Value> auto& get(Value& value, const Json& json, const char* wanted) {
  auto* found = std::get_if<Wanted>(&value);
  HEED_CHECK(found != nullptr, "json", "the value is ", kind_of(json), "; it must be ", wanted);
  return *found;
}

}  // namespace

Json Json::parse(std::string_view text, const std::string& what) {
  Builder builder(what);
  Library::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string Json::dump(int indent) const {
  return to_library(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

bool Json::truth() const { return get<bool>(value_, *this, "true or false"); }
long Json::integer() const { return get<long>(value_, *this, "an integer"); }
double Json::number() const { return is_integer() ? double(integer()) : get<double>(value_, *this, "a number"); }
const std::string& Json::text() const { return get<std::string>(value_, *this, "a text"); }
const Json::Array& Json::items() const { return get<Array>(value_, *this, "an array"); }
const Json::Object& Json::members() const { return get<Object>(value_, *this, "an object"); }

void Json::push_back(Json item) { get<Array>(value_, *this, "an array").push_back(std::move(item)); }

Json& Json::operator[](const std::string& name) {
  if (is_null()) value_ = Object();
  auto& members = get<Object>(value_, *this, "an object");
  for (auto& [known, value] : members)
    if (known == name) return value;
  return members.emplace_back(name, Json()).second;
}

const Json* Json::find(const std::string& name) const {
  if (!is_object()) return nullptr;
  for (const auto& [known, value] : members())
    if (known == name) return &value;
  return nullptr;
}

const Json& Json::at(const std::string& name) const {
  const Json* found = find(name);
  HEED_CHECK(found != nullptr, "json", "there is no \"", name, "\" in ", kind_of(*this));
  return *found;
}

}  // namespace heed
