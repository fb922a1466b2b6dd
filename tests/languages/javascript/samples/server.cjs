"use strict";

const http = require("node:http");
const { Cart, load: read } = require("./cart.js");
const settings = require("../settings");

const PORT = 8_080;
const routes = new Map();

/** Adds a way to answer. */
function route(path, answer) {
  routes.set(path, answer);
}

route("/", (request, response) => {
  const cart = new Cart(request.headers.user);
  response.end(cart.owner);
});

exports.start = function start(port = PORT) {
  const server = http.createServer((request, response) => {
    const answer = routes.get(request.url);
    if (!answer) {
      response.writeHead(404);
      return response.end();
    }
    outer: for (let i = 0; i < 3; i++) {
      switch (i) {
        case 0:
          continue outer;
        default: {
          const again = i;
          break outer;
        }
      }
    }
    return answer(request, response);
  });
  return server.listen(port, settings.host);
};

module.exports = {
  ...exports,
  route,
  PORT,
  async reload(path) {
    return read(path);
  },
};
