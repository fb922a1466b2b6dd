import Foundation
import class ShopMoney.Price

/// What can be priced.
protocol Priced {
    associatedtype Unit
    var unit: Unit { get }
    func total() throws -> Int
}

enum Discount: String, CaseIterable {
    case none, staff
    case coupon

    var percent: Int {
        switch self {
        case .none: return 0
        case .staff: return 10
        case .coupon:
            return 5
        }
    }
}

enum CartError: Error {
    case tooMany(lines: Int)
}

struct Line: Equatable {
    let article: Article
    var count = 0

    var cents: Int { article.price * count }
}

/// What a customer has chosen so far.
final class Cart: Basket, Priced {
    static let mostLines = 200
    private(set) static var carts = 0

    let owner: String
    private var lines: [Line] = []
    @Published var discount: Discount = .none
    lazy var names: [String] = lines.map { $0.article.name }

    /// Makes an empty cart.
    init(owner: String, discount: Discount = .none) {
        self.owner = owner
        super.init()
        self.discount = discount
        Cart.carts += 1
    }

    convenience init?(of owner: String?) {
        guard let owner = owner else { return nil }
        self.init(owner: owner)
    }

    deinit {
        Cart.carts -= 1
    }

    /// Adds some of an article.
    ///
    /// - Returns: the line.
    @discardableResult
    func add(_ article: Article, count: Int = 1, notes: String...) throws -> Line {
        if lines.count >= Cart.mostLines {
            throw CartError.tooMany(lines: lines.count)
        }
        var line = find(named: article.name) ?? Line(article: article)
        line.count += count
        for (index, note) in notes.enumerated() {
            print("\(index): \(note) für „\(owner)“")
        }
        lines.append(line)
        return line
    }

    private func find(named name: String) -> Line? {
        return lines.first { line in
            line.article.name.lowercased() == name.lowercased()
        }
    }

    func total() throws -> Int {
        let sum = lines.reduce(0) { sum, line in sum + line.cents }
        let less = sum * discount.percent / 100
        return sum - less
    }

    subscript(index: Int) -> Line {
        return lines[index]
    }
}

extension Cart: CustomStringConvertible {
    var description: String {
        """
        \(owner): {
        """
    }

    func clear() {
        lines.removeAll()
    }
}

func receipt<T: Priced>(for cart: T, store: Warehouse) async rethrows -> String {
    let articles = await store.articles()
    do {
        return try "\(cart.total()) \(articles.count)"
    } catch CartError.tooMany(let lines) {
        return "too many: \(lines)"
    } catch {
        return "\(error)"
    }
}
