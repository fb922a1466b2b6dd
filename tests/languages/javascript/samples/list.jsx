import React, { useCallback, useState } from "react";
import { Item } from "./item";
import styles from "./list.module.css";

const PAGE = 20;

/** One row. */
function Row({ item, onRemove, children = null }) {
  return (
    <li className={styles.row} data-größe={item.size} key={item.id}>
      <Item.Name {...item} />
      <button type="button" onClick={() => onRemove(item)}>
        Remove {"{"} {item.name} – it&apos;s gone
      </button>
      {children}
    </li>
  );
}

export const List = React.memo(function List({ items, ...rest }) {
  const [page, setPage] = useState(0);
  const next = useCallback(() => setPage((p) => p + 1), []);

  const shown = items.slice(page * PAGE, (page + 1) * PAGE);

  const remove = (item) => {
    rest.onChange(items.filter((other) => other !== item));
  };

  if (!shown.length) {
    return <Empty />;
  }
  return (
    <>
      <ul {...rest}>
        {shown.map((item) => (
          <Row key={item.id} item={item} onRemove={remove} />
        ))}
      </ul>
      <button onClick={next} disabled={shown.length < PAGE}>
        More
      </button>
    </>
  );
});

export const Empty = () => <p className="empty">Nothing here.</p>;

export default function App() {
  const [items, setItems] = useState([]);
  return (
    <main>
      <List items={items} onChange={setItems} />
    </main>
  );
}
