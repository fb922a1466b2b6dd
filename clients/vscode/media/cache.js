// Draws the cache map.  Everything shown is set as text or as a number of our own; nothing is parsed as HTML.
"use strict";
(() => {
  const KINDS = ["header", "filesystem", "class", "scope", "package", "documentation", "file", "recent", "tail"];
  const LABELS = { header: "header and footer", tail: "code at the cursor", filesystem: "file tree" };
  const root = document.getElementById("map");
  const number = (n) => Math.round(n).toLocaleString("en");

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function kindOf(span) {
    if (KINDS.includes(span.type)) return span.type;
    return span.state === "tail" ? "tail" : "header";
  }

  const label = (kind) => LABELS[kind] ?? kind;

  /** Positions between blocks that are not free: behind a block, so that it can grow where it is. */
  function slack(map) {
    const taken = [...map.spans.map(({ start, end }) => [start, end]), ...map.free].sort((one, other) => one[0] - other[0]);
    const found = [];
    let at = 0;
    for (const [start, end] of taken) {
      if (start > at) found.push([at, start]);
      at = Math.max(at, end);
    }
    return found;
  }

  const lengthOf = (ranges) => ranges.reduce((sum, [start, end]) => sum + end - start, 0);

  /** Rows of equal length; what goes over the end of one goes on in the next. */
  function cells(map) {
    const total = Math.max(map.n_positions, map.n_ctx, 1);
    const perRow = Math.ceil(total / Math.min(16, Math.max(1, Math.ceil(total / 512))));
    const box = make("div", "cells");
    const rows = [];
    for (let at = 0; at < total; at += perRow) rows.push(box.appendChild(make("div", "row")));
    const put = (start, end, className, title) => {
      for (let at = Math.max(start, 0); at < Math.min(end, total); ) {
        const row = Math.floor(at / perRow);
        const until = Math.min(end, (row + 1) * perRow);
        const piece = make("div", `span ${className}`);
        piece.style.left = `${((at - row * perRow) / perRow) * 100}%`;
        piece.style.width = `${((until - at) / perRow) * 100}%`;
        piece.title = title;
        rows[row]?.append(piece);
        at = until;
      }
    };
    for (const [start, end] of map.free) put(start, end, "hole", `free: ${number(end - start)} positions`);
    for (const [start, end] of slack(map)) put(start, end, "slack", `room to grow: ${number(end - start)} positions`);
    for (const span of map.spans) {
      const what = span.name ? `${span.name} (${span.type || label(kindOf(span))})` : label(kindOf(span));
      put(span.start, span.end, kindOf(span), `${what}: ${number(span.end - span.start)} tokens at ${number(span.start)}`);
    }
    return box;
  }

  function legend(map) {
    const sums = new Map();
    for (const span of map.spans) sums.set(kindOf(span), (sums.get(kindOf(span)) ?? 0) + span.end - span.start);
    const box = make("div", "legend");
    const add = (className, text) => {
      const item = make("span");
      item.append(make("i", `span swatch ${className}`), make("span", "", text));
      box.append(item);
    };
    for (const kind of KINDS) if (sums.has(kind)) add(kind, `${label(kind)} ${number(sums.get(kind))}`);
    const [holes, room] = [lengthOf(map.free), lengthOf(slack(map))];
    if (room > 0) add("slack", `room to grow ${number(room)}`);
    if (holes > 0) add("hole", `free ${number(holes)}`);
    return box;
  }

  function bars(rows) {
    const box = make("div", "bars");
    for (const { name, parts, of, text } of rows) {
      const bar = make("div", "bar");
      for (const { value, className } of parts) {
        const part = make("i", className);
        part.style.width = `${Math.min(100, (100 * value) / Math.max(of, 1))}%`;
        bar.append(part);
      }
      box.append(make("span", "", name), bar, make("span", "quiet", text));
    }
    return box;
  }

  function section(title, ...content) {
    root.append(make("h2", "", title), ...content);
  }

  function budgets(usage) {
    const row = (name, used, of) => ({ name, parts: [{ value: used, className: "" }], of, text: `${number(used)} of ${number(of)}` });
    const rows = [row("Context", usage.used, usage.total)];
    if (usage.parts.blocks !== undefined) rows.push(row("Blocks", usage.parts.blocks, usage.budgets?.blocks ?? usage.total));
    if (usage.parts.tail) rows.push(row("Code at the cursor", usage.parts.tail.used, usage.parts.tail.budget));
    return bars(rows);
  }

  function events(last, stats) {
    const row = (name, decoded, reused, more) => ({
      name,
      parts: [{ value: decoded, className: "decoded" }, { value: reused, className: "reused" }],
      of: decoded + reused,
      text: `${number(decoded)} decoded, ${number(reused)} reused${more}`,
    });
    const rows = [];
    if (last && last.decoded + last.reused > 0) rows.push(row("Last answer", last.decoded, last.reused, `, ${number(last.ms)} ms`));
    rows.push(row("This window", stats.decoded ?? 0, stats.reused ?? 0, ""));
    return bars(rows);
  }

  function list(map) {
    const table = make("table");
    for (const span of map.spans) {
      if (!span.name) continue;
      const row = table.insertRow();
      row.insertCell().append(make("i", `span swatch ${kindOf(span)}`));
      const name = row.insertCell();
      name.className = "name";
      name.textContent = span.name;
      row.insertCell().textContent = span.type || label(kindOf(span));
      for (const text of [`${number(span.start)}–${number(span.end)}`, number(span.end - span.start)]) {
        const cell = row.insertCell();
        cell.className = "number";
        cell.textContent = text;
      }
    }
    return table;
  }

  function draw({ map, usage, last, model, none }) {
    const top = document.scrollingElement.scrollTop;
    root.replaceChildren();
    root.append(make("h1", "", "Cache map"));
    if (none) return void root.append(make("p", "quiet", none));
    const { blocks, bytes } = map.stored;
    const kept = blocks > 0 ? ` · ${number(blocks)} ${blocks === 1 ? "block" : "blocks"} (${(bytes / 1048576).toFixed(1)} MiB) kept in memory` : "";
    root.append(make("div", "quiet", `${model || "model"} · ${number(map.used)} of ${number(map.n_ctx)} cells used${kept}`));
    root.append(cells(map));
    const under = make("div", "under quiet");
    under.append(make("span", "", "0"), make("span", "", number(Math.max(map.n_positions, map.n_ctx))));
    root.append(under, legend(map));
    section("Decoded and reused", events(last, map.stats));
    if (usage) section("Budgets", budgets(usage));
    section("Spans", list(map));
    document.scrollingElement.scrollTop = top;
  }

  window.addEventListener("message", ({ data }) => draw(data));
  acquireVsCodeApi().postMessage("ready");
})();
