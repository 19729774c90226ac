"use strict";
// The server's answers. The rules of the game are there; this page shows and asks.

class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const UNREACHABLE = 0; // a status that no server gives
const NONSENSE = 400;
const GONE = 404;
const STALE = 409;

class Client {
  #id = null;

  /**
   * Begin a game of a deal (null: the server's choice) in which `players` have done `operations`.
   */
  async create({ deal = null, operations = [], players = [] } = {}) {
    return this.#keep(await this.#ask("/games", { deal, operations, players }));
  }

  /** Go on with the game of an id. */
  async load(id) {
    return this.#keep(await this.#ask(`/games/${encodeURIComponent(id)}`));
  }

  reload() {
    return this.load(this.#id);
  }

  do(deed) {
    return this.#ask(this.#path(), deed);
  }

  advice() {
    return this.#ask(this.#path("/advice"), {});
  }

  outlook() {
    return this.#ask(this.#path("/outlook"), {});
  }

  /** Return the game as an episode file: its name and its text. */
  async episode() {
    const answer = await this.#fetch(this.#path("/episode"));
    const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition"))?.[1];
    return { name: name ?? "game.json", text: await answer.text() };
  }

  #path(rest = "") {
    return `/games/${encodeURIComponent(this.#id)}${rest}`;
  }

  #keep(view) {
    this.#id = view.id;
    return view;
  }

  async #ask(path, message) {
    return (await this.#fetch(path, message)).json();
  }

  async #fetch(path, message) {
    const options = message === undefined ? {} : {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
    };
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new RequestError(UNREACHABLE, "The server cannot be reached; is qv play still running?");
    }
    if (!answer.ok) throw new RequestError(answer.status, await errorText(answer));
    return answer;
  }
}

async function errorText(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return `The server failed (${answer.status}).`;
  }
}
