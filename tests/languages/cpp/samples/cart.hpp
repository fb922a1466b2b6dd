#pragma once

#include <memory>
#include <string>
#include <vector>

#include "article.hpp"

namespace shop {

class Warehouse;

/// How much less a customer pays.
enum class Discount : unsigned char {
  None = 0,
  Regular = 5,
  Staff = 30,
};

/// Anything that has a price.
template <typename T>
concept Priced = requires(const T& thing) { thing.price(); };

struct Line {
  Article article;
  int count = 0, reserved;
  Line* next{nullptr};

  long price() const { return count * article.cents; }
};

/**
 * What a customer has chosen so far.
 *
 * Not safe for use by several threads.
 */
template <typename Entry = Line, int Most = 200>
class Basket final : public Observable<Entry>, private detail::Counted {
 public:
  using Base = Observable<Entry>;
  using Entries = std::vector<Entry>;
  typedef typename Entries::iterator iterator;

  static constexpr int kMost = Most;

  Basket() = default;
  explicit Basket(std::string owner, Discount discount = Discount::None)
      : owner_(std::move(owner)), discount_{discount} {}
  Basket(const Basket&) = delete;
  virtual ~Basket();

  /// Puts an article into the cart.
  Entry& add(const Article& article, int count = 1);
  [[nodiscard]] long total() const noexcept;
  virtual void visit(const std::function<void(const Entry&)>& each) const = 0;

  Entry& operator[](std::size_t at) { return lines_[at]; }
  operator bool() const { return !lines_.empty(); }
  Basket& operator=(const Basket& other) = delete;

  template <Priced Other>
  Basket& merge(Other&& other) {
    for (auto& line : other) {
      add(line.article, line.count);
    }
    return *this;
  }

  friend bool operator==(const Basket& a, const Basket& b);

 protected:
  struct Mark {
    int at;
  };

  Entries lines_;
  std::string owner_;
  Discount discount_ = Discount::None;
  std::unique_ptr<Mark> mark_;
  int (*order_)(const Entry&, const Entry&) = nullptr;
};

using Cart = Basket<>;

namespace money {
long rounded(long cents);
inline constexpr long kCent = 1;
}  // namespace money

}  // namespace shop
