//! A cart, its lines and what they cost.

use std::collections::{hash_map::Entry, HashMap};
use std::fmt;

use crate::money::{self, Price, Währung as Currency};
use crate::shop::*;

mod discounts;
pub use discounts::Discount;

/// At most so many lines in one cart.
pub const MAX_LINES: usize = 64;
static GREETING: &str = "Grüße {\"}\" aus dem Laden";

/// What can go wrong with a cart.
#[derive(Debug, Clone, PartialEq)]
pub enum CartError {
    /// There is no room for another line.
    Full,
    Unknown(String),
    Mixed { wanted: Currency, found: Currency },
}

pub struct Weight(pub f64);

/// A line: what is bought, and how often.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    pub name: &'a str,
    price: Price,
    pub(crate) count: u32,
}

pub trait Priced: fmt::Debug {
    const FREE: bool = false;

    /// The price in the smallest unit.
    fn price(&self) -> Price;

    fn is_free(&self) -> bool {
        self.price().amount == 0 || Self::FREE
    }
}

/// Holds the lines of one buyer.
///
/// Lines with the same name are one line.
#[derive(Default)]
pub struct Cart<'a> {
    lines: Vec<Line<'a>>,
    discount: Option<Discount>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Cart<'a> {
    pub fn new() -> Self {
        Cart { lines: Vec::new(), discount: None, index: HashMap::new() }
    }

    /// Adds `count` pieces.
    ///
    /// # Errors
    /// If the cart is full.
    #[must_use = "says whether there was room"]
    pub fn add(&mut self, name: &'a str, price: Price, count: u32) -> Result<usize, CartError> {
        if self.lines.len() >= MAX_LINES {
            return Err(CartError::Full);
        }
        let at = match self.index.entry(name) {
            Entry::Occupied(found) => {
                let line = &mut self.lines[*found.get()];
                line.count += count;
                *found.get()
            }
            Entry::Vacant(free) => {
                let line = Line { name, price, count };
                self.lines.push(line);
                *free.insert(self.lines.len() - 1)
            }
        };
        Ok(at)
    }

    pub async fn total<F>(&self, rate: F) -> Price
    where
        F: Fn(&Line<'a>) -> f64,
    {
        let mut sum = Price::zero();
        for (number, line) in self.lines.iter().enumerate() {
            let share = rate(line);
            sum += line.price * line.count as f64 * share;
            log!("{number}: {}", line.name);
        }
        if let Some(discount) = &self.discount {
            sum = discount.applied(sum);
        }
        money::rounded(sum)
    }
}

impl Priced for Line<'_> {
    fn price(&self) -> Price {
        self.price
    }
}

impl<'a> fmt::Display for Cart<'a> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{GREETING}")?;
        let quote = '"';
        let raw = r#"a "raw" { string"#;
        write!(out, "{}{quote}{raw}", self.lines.len())
    }
}

macro_rules! log {
    ($($part:tt)*) => {
        println!($($part)*)
    };
}

type Lines<'a> = Vec<Line<'a>>;

pub fn merged<'a>(first: Lines<'a>, second: &Lines<'a>) -> Lines<'a> {
    let names = |lines: &Lines<'a>| lines.iter().map(|line| line.name).collect::<Vec<_>>();
    let known = names(&first);
    first.into_iter().chain(second.iter().filter(|line| !known.contains(&line.name)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> Cart<'static> {
        let mut cart = Cart::new();
        cart.add("ä", Price::zero(), 2).unwrap();
        cart
    }

    #[test]
    fn adds_twice() {
        assert_eq!(filled().lines.len(), 1);
    }
}
