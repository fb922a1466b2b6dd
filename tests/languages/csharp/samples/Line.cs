#nullable enable
namespace Shop.Carts;

/// <summary>One article, and how often it is bought.</summary>
public record Line(Article Article, int Count) : IPriced
{
    public bool Reserved { get; init; }

    public long Price => Count * Article.Cents;

    public long Rounded(int digits)
    {
        long result = Price, unit = 1;
        for (var i = 0; i < digits; i++)
        {
            unit *= 10;
        }
        return result / unit * unit;
    }

    public void Raise(int count)
    {
        #region checks
        lock (this)
        {
            Total += count;
        }
        #endregion
    }

    internal static int Total { get; private set; }
}

public readonly record struct Point(int X, int Y);

public static partial class Lines
{
    private static readonly Dictionary<string, Func<int, int>> known = new()
    {
        ["half"] = value => value / 2,
        ["twice"] = delegate(int value) { return 2 * value; },
    };

    public static long Sum(this IEnumerable<Line> lines, Func<Line, bool>? test = null)
    {
        var query = from line in lines
                    where test == null || test(line)
                    let price = line.Price
                    orderby price descending
                    select price;
        var (first, second) = (query.First(), query.Last());
        return query.Sum() + first - first + second - second;
    }
}
