import React, { useMemo, type ReactNode } from "react";
import type { Item, Line } from "./cart";

interface Props<T> {
  lines: readonly Line[];
  label?: string;
  render: (line: Line) => ReactNode;
  onRemove?(item: Item): void;
  extra?: T;
}

type Sort = "name" | "price";

const COLUMNS: Record<Sort, string> = { name: "Name", price: "Prix – €" };

function compare(sort: Sort) {
  return (a: Line, b: Line): number => (sort === "name" ? 0 : a.count - b.count);
}

/** A table of what is in a cart. */
export function Table<T extends object>({ lines, render, label = "Cart", onRemove }: Props<T>): JSX.Element {
  const [sort, setSort] = React.useState<Sort>("name");
  const shown = useMemo(() => [...lines].sort(compare(sort)), [lines, sort]);

  const remove = (item: Item): void => {
    onRemove?.(item);
  };

  return (
    <table aria-label={label}>
      <thead>
        {Object.entries(COLUMNS).map(([key, title]) => (
          <th key={key} onClick={() => setSort(key as Sort)}>
            {title}
          </th>
        ))}
      </thead>
      <Body<T> lines={shown}>
        {(line) => (
          <tr>
            <td>{render(line)}</td>
            <td>
              <button onClick={() => remove(line.item)}>×</button>
            </td>
          </tr>
        )}
      </Body>
    </table>
  );
}

class Body<T> extends React.Component<{ lines: Line[]; children: (line: Line) => ReactNode; extra?: T }> {
  state = { open: true };

  toggle = (): void => {
    this.setState({ open: !this.state.open });
  };

  render(): ReactNode {
    const { lines, children } = this.props;
    return <tbody onClick={this.toggle}>{lines.map(children)}</tbody>;
  }
}

export const Empty: React.FC<{ text?: string }> = ({ text = "Nothing" }) => <p>{text}</p>;

export default Table;
