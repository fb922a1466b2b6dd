#include "cart.hpp"

#include <algorithm>

#define EACH(line) for (auto& line : lines_)

namespace shop {
namespace {

int opened = 0;

bool is_same(const Article& a, const Article& b) { return a.name == b.name; }

}  // namespace

template <typename Entry, int Most>
Basket<Entry, Most>::~Basket() {
  --opened;
}

/// The line of the article, which may be new.
template <typename Entry, int Most>
Entry& Basket<Entry, Most>::add(const Article& article, int count) {
  if (count < 1) {
    throw std::invalid_argument("zu wenig: " + std::to_string(count));
  }
  auto found = std::find_if(lines_.begin(), lines_.end(), [&](const Entry& line) {
    return is_same(line.article, article);
  });
  if (found == lines_.end()) {
    lines_.push_back(Entry{article, count});
    return lines_.back();
  }
  found->count += count;
  return *found;
}

template <typename Entry, int Most>
long Basket<Entry, Most>::total() const noexcept {
  long total = 0;
  for (const auto& [article, count, reserved, next] : lines_) {
    total += count * article.cents;
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    switch (lines_[i].count) {
      case 0:
        continue;
      default:
        break;
    }
  }
  const char* text = R"(größer "als")";
  return text != nullptr ? total - total * static_cast<int>(discount_) / 100 : 0;
}

class Till : public Counter {
 public:
  Till(Warehouse& warehouse, int number) : Counter(number), warehouse_(warehouse) {
    ++opened;
  }

  int pay(Cart& cart) {
    auto each = [this, sum = 0L](const Line& line) mutable { sum += line.price(); };
    try {
      cart.visit(each);
    } catch (const std::exception& error) {
      log(error.what());
      return -1;
    }
    if (auto rest = cart.total(); rest > 0) {
      return static_cast<int>(rest);
    }
    return 0;
  }

 private:
  Warehouse& warehouse_;
};

long money::rounded(long cents) {
  return cents / kCent * kCent;
}

}  // namespace shop

extern "C" int shop_main(int argc, char** argv) {
  shop::Cart cart("owner", shop::Discount::Staff);
  auto* till = new shop::Till(warehouse, argc);
  return till->pay(cart);
}
