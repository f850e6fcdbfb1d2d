#include "autograd/print.h"

namespace heed {

// As Tensor::str, with what a Variable has on top.
std::ostream& operator<<(std::ostream& out, const Variable& x) {
  if (!x.defined()) return out << "Variable(undefined)";
  const std::string tensor = x.value().str();  // "Tensor(...)"
  const char* past = x.is_leaf()         ? (x.requires_grad() ? ", a leaf" : ", a frozen leaf")
                     : x.requires_grad() ? ", with a gradient"
                                         : ", a constant";
  return out << "Variable" << tensor.substr(tensor.find('('), tensor.size() - tensor.find('(') - 1) << past << ")";
}

}  // namespace heed
