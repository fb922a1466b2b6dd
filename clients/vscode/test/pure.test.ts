import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedPart, closing, conversationIn, lastTurn, message, nested, plainly, plural } from "../src/pure";

test("settings become objects by their names' parts", () => {
  assert.deepEqual(nested([["a.b", 1], ["a.c", [2]], ["d", false]]), { a: { b: 1, c: [2] }, d: false });
});

test("a part counts for the completion it is the beginning of, and for no other's", () => {
  const offered = [{ text: "discount.amount(x)", id: "c-1" }, { text: "display()", id: "c-2" }];
  assert.equal(acceptedPart(offered, "disc", "ount")?.id, "c-1");
  assert.equal(acceptedPart(offered, "dis", "play()")?.id, "c-2");
  assert.equal(acceptedPart(offered, "disc", "overy"), undefined);
  assert.equal(acceptedPart(offered, "disc", ""), undefined);
});

test("numbers", () => {
  assert.equal(plural(1, "token"), "1 token");
  assert.equal(plural(1539, "token"), "1,539 tokens");
});

test("what a failure says to a person names no field of a command", () => {
  const failed = Object.assign(new Error("uri: its last message is still being answered."), { code: -32602 });
  assert.equal(message(failed), "Its last message is still being answered.");
  assert.equal(message(new Error("git: nothing has changed.")), "git: nothing has changed.");
  assert.equal(message("no"), "no");
});

test("a name is no link in a notification", () => {
  const name = "[Mend it](command:workbench.action.quit).py";
  // What VS Code takes for a link there.
  assert.doesNotMatch(plainly(`Palimpsest: ${name} is not there.`), /\[[^\]]+\]\((https?:\/\/|command:|file:)/);
});

test("a conversation's id is read from the front matter of its document alone", () => {
  assert.equal(conversationIn("---\nid: c-1234abcd\n---\n\n## user\n"), "c-1234abcd");
  assert.equal(conversationIn("---\nmodel: x\nid: 'c-1234abcd'\n---\n"), "c-1234abcd");
  assert.equal(conversationIn("---\nmodel: x\n---\nid: c-1234abcd\n"), undefined);
  assert.equal(conversationIn("id: c-1234abcd\n"), undefined);
});

test("a conversation's last turn of the person's is found by its heading", () => {
  assert.equal(lastTurn("---\nid: c-1234abcd\n---\n\n## user\n\nhello\n\n## assistant\n\nyes\n\n## user\n"), 12);
  assert.equal(lastTurn("## user\r\n\r\nhello ## user\r\n"), 0);
  assert.equal(lastTurn("# user\n"), undefined);
});

test("what closes is jumped over, and nothing behind it", () => {
  assert.deepEqual([")];", " ) , x", '"} + b', "x)", "", "  "].map(closing), [3, 4, 2, 0, 0, 0]);
});
