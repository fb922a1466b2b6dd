#!/usr/bin/env node
/**
 * Carts of the shop, and what they cost.
 *
 * @module cart
 */

import fs, { readFile as read } from "node:fs";
import * as money from "./money.js";
import { total, tax as rate } from "./money.js";
import "./setup.js";

export { Discount } from "./discount.js";
export * from "./items.js";

/** How many different things a cart holds at most. */
export const MOST_ITEMS = 100;
const names = { cart: "Cart", "größe": "size" };
let carts = 0;
var legacy;

/**
 * A cart of one customer.
 *
 * @see Order
 */
export default class Cart extends Base {
  static #made = 0;
  items = [];
  #owner;

  constructor(owner, { currency = "EUR", limit: most } = {}) {
    super();
    this.#owner = owner;
    this.currency = currency;
    this.most = most ?? MOST_ITEMS;
    Cart.#made += 1;
  }

  /** Who pays. */
  get owner() {
    return this.#owner;
  }

  set owner(owner) {
    this.#owner = owner;
  }

  // Not documentation.
  add(item, count = 1, ...more) {
    if (this.items.length >= this.most) {
      throw new RangeError(`a cart holds ${this.most} items, not { more`);
    }
    const { price, name: label } = item;
    for (const one of [item, ...more]) {
      let line = { one, count, label };
      this.items.push(line);
    }
    return price * count;
  }

  total = () => {
    const cents = total(this.items);
    return cents * rate;
  };

  async *each() {
    yield* this.items;
  }

  static of(owner) {
    return new Cart(owner);
  }
}

/**
 * Reads a cart from a file.
 *
 * @param {string} path where it is
 * @param {Cart} cart what it is added to
 * @returns {Promise<Cart>}
 */
export async function load(path, cart) {
  const text = await read(path, "utf-8");
  try {
    cart.add(JSON.parse(text));
  } catch (error) {
    console.error(error.message, fs.constants);
  } finally {
    carts++;
  }
  return cart;
}

export const format = (cents, { digits = 2 } = {}) => {
  const euros = (cents / 100).toFixed(digits);
  return `${euros} €`;
};

const half = (cents) => cents / 2;

export const store = {
  carts: new Map(),
  open(owner) {
    this.carts.set(owner, new Cart(owner));
  },
  close: async (owner) => {
    await money.settle(owner);
  },
};

function Wallet(coins) {
  this.coins = coins;
}

Wallet.prototype.pay = function (cents) {
  this.coins -= half(cents);
  legacy = this.coins;
  return names;
};
