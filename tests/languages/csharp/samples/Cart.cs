using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Shop.Stock;
using static Shop.Money.Rounding;
using Rates = Shop.Money.RateTable;

namespace Shop.Carts
{
    /// <summary>What a customer pays less.</summary>
    public enum Discount : byte
    {
        None = 0,
        Regular = 5,
        /// <summary>Who works here.</summary>
        Staff = 30,
    }

    /// <summary>
    /// What a customer has chosen so far; see <see cref="T:Line"/>.
    /// </summary>
    /// <remarks>Not safe for use by several threads.</remarks>
    [Serializable]
    public sealed class Cart<TArticle> : Basket, IEnumerable<Line>
        where TArticle : Article, new()
    {
        private const int MostLines = 200;
        private static int carts, emptied = 0;

        private readonly List<Line> _lines = new();
        private Discount _discount;

        public event EventHandler<Line>? Added;

        public delegate bool Test(Line line);

        public string Owner { get; init; } = "";
        public int Count => _lines.Count;

        public Discount Discount
        {
            get => _discount;
            set
            {
                _discount = value;
                Added?.Invoke(this, null);
            }
        }

        public Line this[int index] => _lines[index];

        public Cart(string owner, Discount discount = Discount.None)
            : base(owner)
        {
            Owner = owner;
            _discount = discount;
            carts++;
        }

        /// <summary>
        /// Puts an <paramref name="article"/> into the cart.
        /// </summary>
        /// <returns>The line that holds it.</returns>
        [Obsolete("use AddAsync")]
        public Line Add(
            TArticle article,
            int count = 1)
        {
            if (count < 1 || _lines.Count >= MostLines)
            {
                throw new ArgumentException($"übervoll: {count}");
            }
            foreach (var line in _lines)
            {
                if (line.Article.Equals(article))
                {
                    line.Raise(count);
                    return line;
                }
            }
            var added = new Line(article, count) { Reserved = true };
            _lines.Add(added);
            Added?.Invoke(this, added);
            return added;
        }

        public async Task<Line?> FindAsync(string name, params Test[] tests)
        {
            await Task.Yield();
            bool Fits(Line line) => tests.All(test => test(line));
            for (int i = 0; i < _lines.Count; i++)
            {
                if (_lines[i] is { Reserved: false } found && Fits(found))
                {
                    return found;
                }
            }
            return int.TryParse(name, out var index) ? _lines[index] : null;
        }

        public override string ToString()
        {
            using var writer = new System.IO.StringWriter();
            try
            {
                writer.Write(@"Cart of ""them""");
            }
            catch (ObjectDisposedException error) when (error.Message.Length > 0)
            {
                Console.WriteLine(error);
            }
            return (Discount, Count) switch
            {
                (Discount.Staff, var n) when n > 3 => "staff",
                _ => writer.ToString(),
            };
        }

        public static bool operator ==(Cart<TArticle> a, Cart<TArticle> b) => ReferenceEquals(a, b);

        public static bool operator !=(Cart<TArticle> a, Cart<TArticle> b) => !(a == b);
    }

    public interface IPriced
    {
        long Price { get; }

        long Rounded(int digits);
    }
}
