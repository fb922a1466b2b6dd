-- Tables of a shop.
CREATE TABLE shelves (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  width INTEGER DEFAULT 0
);

CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  shelf INTEGER NOT NULL REFERENCES shelves (id),
  name TEXT NOT NULL,
  price INTEGER NOT NULL CHECK (price >= 0),
  größe TEXT
);

/* Found by name. */
CREATE INDEX items_by_name ON items (name);

CREATE VIEW cheap AS
SELECT name, price
FROM items
WHERE price < 200;

INSERT INTO shelves (id, name, width) VALUES
  (1, 'fruit', 240),
  (2, 'bread; or "rolls"', 120);

INSERT INTO items (shelf, name, price) VALUES (1, 'apple', 120), (1, 'pear''s', 140);

-- What each shelf holds.
SELECT
  shelves.name,
  count(*) AS n_items,
  sum(items.price) AS total
FROM shelves
LEFT JOIN items ON items.shelf = shelves.id
WHERE shelves.width > 100
  AND items.price IS NOT NULL
GROUP BY shelves.name
HAVING count(*) > 1
ORDER BY total DESC
LIMIT 10;

WITH dear AS (
  SELECT id, price
  FROM items
  WHERE price > 300
),
near AS (
  SELECT id FROM shelves WHERE width < 200
)
SELECT dear.id
FROM dear, near
WHERE dear.id = near.id;

UPDATE items
SET price = price * 2
WHERE shelf IN (SELECT id FROM shelves WHERE name = 'fruit');

DELETE FROM items WHERE price = 0;

DROP TABLE IF EXISTS old_items;
