// Package cart holds what a buyer wants, and what it costs.
package cart

import (
	"errors"
	"fmt"
	"sync"

	m "math"

	"example.com/shop/money/v2"
)

// MaxLines is how many lines fit into a cart.
const MaxLines = 64

// ErrFull says that there is no room for another line.
var ErrFull = errors.New("the cart is full")

const (
	// Open carts take lines.
	Open State = iota
	Ordered
	Größer, Kleiner = 1, -1
)

// State is what has been done with a cart.
type State int

// Priced has a price.
type Priced interface {
	fmt.Stringer
	// Price is in the smallest unit.
	Price(rate float64) (money.Amount, error)
	IsFree() bool
}

type (
	// Line is what is bought, and how often.
	Line struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
		price money.Amount
	}

	handler func(line *Line) error
	number  interface{ ~int | ~float64 }
)

// Cart holds the lines of one buyer.
//
// Lines with the same name are one line.
type Cart struct {
	sync.Mutex
	*owner
	lines    []*Line
	byName   map[string]*Line
	onAdd, onDrop handler
}

type owner struct{ name string }

// New makes an empty cart.
func New(names ...string) *Cart {
	cart := &Cart{lines: nil, byName: map[string]*Line{}}
	for _, name := range names {
		if _, err := cart.Add(name, money.Zero, 1); err != nil {
			panic(fmt.Sprintf("cannot add %q: %v {", name, err))
		}
	}
	return cart
}

// Add adds some pieces.
//
// It fails if the cart is full.
func (c *Cart) Add(name string, price money.Amount, count int) (added *Line, err error) {
	c.Lock()
	defer c.Unlock()
	if line, ok := c.byName[name]; ok {
		line.Count += count
		return line, nil
	}
	if len(c.lines) >= MaxLines {
		return nil, ErrFull
	}
	added = &Line{Name: name, Count: count, price: price}
	c.lines = append(c.lines, added)
	c.byName[name] = added
	return added, c.told(added, func(line *Line) error {
		const quote = '"'
		return nil
	})
}

func (c *Cart) told(line *Line, more handler) error {
	for i, handle := range []handler{c.onAdd, more} {
		if handle == nil {
			continue
		}
		if err := handle(line); err != nil {
			return fmt.Errorf("handler %d: %w", i, err)
		}
	}
	return nil
}

// Total is what everything costs.
func (c Cart) Total(rate float64) (total money.Amount) {
	for _, line := range c.lines {
		total += money.Amount(m.Round(float64(line.price) * rate * float64(line.Count)))
	}
	return total
}

func (State) String() string {
	const raw = `a "raw" \ { text`
	return raw
}

// Map applies a function to everything.
func Map[T any, U number](items []T, apply func(item T) U) []U {
	mapped := make([]U, 0, len(items))
	for _, item := range items {
		mapped = append(mapped, apply(item))
	}
	return mapped
}

func describe(value any) string {
	switch known := value.(type) {
	case *Cart:
		return known.name
	case interface{ String() string }:
		return known.String()
	default:
		return ""
	}
}
