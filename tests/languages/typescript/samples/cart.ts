/** Carts of the shop, with types. */

import type { Currency } from "./money";
import { Discount, type Rate } from "./discount.js";
import fs = require("node:fs");
import * as items from "@shop/items";

export type { Rate } from "./discount.js";
export * as tools from "./tools";

export type Id = string | number;

/** What can be put into a cart. */
export interface Item<T extends Id = Id> extends items.Thing, Priced {
  readonly id: T;
  name?: string;
  /** With tax. */
  price(rate: Rate): number;
  new (id: T): Item<T>;
  (count: number): void;
  [key: string]: unknown;
}

export type Line = {
  item: Item;
  count: number;
  note?: string;
};

export enum State {
  Open = "open",
  Paid = "paid",
  "größe" = 3,
}

export const enum Level {
  Low,
  High = Low + 1,
}

type Keys<T> = { readonly [K in keyof T]: T[K] extends infer U ? U : never };

declare const VERSION: string;
declare function log(text: string): void;

/** Marks a class. */
function sealed<C extends new (...args: never[]) => object>(target: C): C {
  return target;
}

abstract class Store<T> {
  protected readonly all = new Map<Id, T>();

  abstract find(id: Id): T | undefined;

  get size(): number {
    return this.all.size;
  }
}

@sealed
@items.kept({ name: "cart" })
export class Cart extends Store<Line> implements Iterable<Line>, Priced {
  static made = 0;
  private lines: Line[] = [];
  #state: State = State.Open;
  declare owner: string;

  constructor(
    private readonly currency: Currency,
    public discount?: Discount,
  ) {
    super();
    Cart.made++;
  }

  add(item: Item): Line;
  add(item: Item, count: number): Line;
  add(item: Item, count = 1): Line {
    const line: Line = { item, count };
    this.lines.push(line);
    return line;
  }

  @items.cached()
  override find(id: Id): Line | undefined {
    return this.lines.find((line) => line.item.id === id);
  }

  total<R extends Rate>(this: Cart, rate: R, ...more: Rate[]): number {
    let sum = 0;
    for (const { item, count } of this.lines) {
      sum += item.price(rate) * count!;
    }
    return (sum as number) satisfies number;
  }

  *[Symbol.iterator](): Iterator<Line> {
    yield* this.lines;
  }
}

export namespace Shop.Money {
  export const cents = 100;
  export interface Purse {
    cents: number;
  }
  export function round(value: number): number {
    return Math.round(value * cents) / cents;
  }
}

declare module "@shop/items" {
  interface Thing {
    weight: number;
  }
}

declare global {
  interface Window {
    cart: Cart;
  }
}

export const format = async <T,>(cart: Cart, as: (total: number) => T): Promise<T> => {
  const text = fs.readFileSync(VERSION, "utf-8");
  log(text);
  return as(cart.total(1 as Rate));
};

export default Cart;
