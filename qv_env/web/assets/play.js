"use strict";
// The play page: joins the table, what people do with it, the server, and the agent.

const STORE = "qv-game"; // in this tab alone: which game it plays, and what was done in it
const AUTO_STORE = "qv-auto";
const GLIDE = 220; // milliseconds
const DOWNLOAD_TAKES = 10_000; // milliseconds, at most
const OUTLOOK_WAITS = 400; // milliseconds without a move

const byId = (id) => document.getElementById(id);
const settings = JSON.parse(byId("data").textContent);
const client = new Client();
const board = new Board(byId("board"));
const waste = new WasteStrip(byId("waste"));
let view = null;
let queue = Promise.resolve(); // deeds are done one after another
let outlookTimer = null;

const notices = new Notices(byId("notice"), byId("said"));
const places = new Places(board, (place) => hand.press(place));
const hand = new Hand(board, places, {
  view: () => view,
  act,
  drop,
  complain: (text) => notices.show("refusal", text),
  say: (text) => notices.say(text),
});
const gestures = new Gestures(board, {
  targets: (place) => targetsOf(view, place),
  tap: (place) => act({ do: "tap", place }),
  doubleTap: (place) => act({ do: "double_tap", place }),
  drop: (source, target) => act(drop(source, target)),
  covered: () => notices.show("refusal", settings.covered),
});
const codeDialog = new CodeDialog(byId("code-dialog"), (text) => beginDeal(text.trim()));
const panel = settings.agent && new AgentPanel(byId("agent"), settings.agent, {
  advise: () => trying(() => asked(() => client.advice())),
  move: async () => Boolean((await act({ do: "agent" }))?.done),
  point: (from, to) => board.point(from, to),
  view: () => view,
  say: (text, { isNotice = false } = {}) => (isNotice ? notices.show("info", text) : notices.say(text)),
});

function drop(source, target) {
  return { do: "drop", source, target, auto: isAutomatic() };
}

/**
 * Do something by the server after all that was asked before, and show what came of it. A function
 * chooses the deed when its turn comes, or null for none.
 */
function act(deed) {
  if (panel && deed.do !== "agent") panel.stop();
  const result = queue.then(() => {
    const chosen = typeof deed === "function" ? deed() : deed;
    return chosen && trying(() => perform(chosen));
  });
  queue = result.catch(() => {});
  return result;
}

async function perform(deed) {
  let answer;
  try {
    answer = await asked(() => client.do({ ...deed, revision: view.revision }));
  } catch (error) {
    if (error.status !== STALE) throw error;
    show(await client.reload(), { isNew: true });
    showEnd(view);
    notices.show("info", "This game went on in another tab; here is how it stands.");
    return null;
  }
  hand.letGo();
  const { done, refused } = answer;
  const before = view;
  const isNew = done?.do === "deal" || done?.do === "restart";
  show(answer, { done, isNew });
  if (refused) notices.show("refusal", refused.reason);
  else if (isNew) tellOfNewGame(done, before);
  else notices.say(doneWords(done));
  showEnd(answer);
  return answer;
}

/** Ask the server about this tab's game; if it has lost that, it is given it back first. */
async function asked(task) {
  try {
    return await task();
  } catch (error) {
    if (error.status !== GONE) throw error;
  }
  await giveBack();
  return task();
}

/** Give the server this tab's game; where it takes the deal alone, show that from its start. */
async function giveBack() {
  try {
    view = await client.create(wayTo(view));
  } catch (error) {
    if (error.status !== NONSENSE) throw error;
    show(await client.create({ deal: view.code }), { isNew: true });
    throw new RequestError(NONSENSE, "The server lost this game and does not take it back; its deal begins anew.");
  }
}

/** Return what leads a server to a game. */
function wayTo({ code, operations, players }) {
  return { deal: code, operations, players };
}

/** Say which game began, and offer the way back to the one that it took the place of. */
function tellOfNewGame(done, last) {
  const way = last.operations.length && !last.won ? wayTo(last) : null;
  const news = done.do === "restart" ? "The same deal from its start." : `New game: ${view.deal}.`;
  notices.show("info", news, way && {
    text: "Back to the last one",
    run: () => act({ do: "deal", ...way }),
  });
}

/** Return what a promise gives, or say what is wrong and return null. */
async function trying(task) {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    notices.show("refusal", error.message);
    return null;
  }
}

/** Begin a game of a deal; null for any. Faults of the text are thrown. */
async function beginDeal(deal) {
  panel?.stop();
  await queue;
  await perform({ do: "deal", deal });
}

function show(next, { done = null, isNew = false } = {}) {
  view = next;
  remember(next);
  const marked = done ?? next.last;
  const moved = done?.do === "undo" ? done.from : marked?.to;
  board.glide = Math.min(GLIDE, panel?.glide ?? Infinity);
  board.show(next.position, { moved: isNew && done ? null : moved, still: isNew });
  places.show(next);
  waste.show(cardsOf(next.position.piles.w));
  showFigures(next);
  showButtons(next);
  panel?.clear({ isOver: !next.legal.length });
  notices.hide();
}

function showFigures({ position, deal }) {
  const placed = FOUNDATIONS.reduce((sum, f) => sum + cardsOf(position.piles[f]).length, 0);
  document.title = `${deal}: Quarante Voleurs`;
  byId("deal").textContent = deal;
  byId("score").textContent = position.score;
  byId("count").textContent = position.moves;
  byId("stock").textContent = position.stock;
  byId("foundations").textContent = placed;
}

function showButtons({ undoable, redoable }) {
  byId("undo").disabled = !undoable;
  byId("redo").disabled = !redoable;
}

/** Tell of a win, of a game without a move, and of one in which nothing helps. */
function showEnd({ won, stuck, position }) {
  byId("won").hidden = !won;
  board.root.classList.toggle("is-won", won);
  clearTimeout(outlookTimer);
  if (won) {
    byId("won-figures").textContent = `${position.score} points, ${position.moves} moves`;
  } else if (stuck) {
    notices.show("end", "No legal move is left. Undo, or begin anew.");
  } else if (!position.stock && settings.hasOutlook) {
    outlookTimer = setTimeout(lookOut, OUTLOOK_WAITS);
  }
}

async function lookOut() {
  const { revision } = view;
  const outlook = await trying(() => asked(() => client.outlook()));
  if (!outlook?.hopeless || view.revision !== revision || outlook.revision !== revision) return;
  panel?.stop();
  notices.show("end", "The planner finds nothing that helps: no way to another card on the foundations.");
}

function doneWords(done) {
  const verb = { undo: "Undone: ", redo: "Again: " }[done.do] ?? "";
  const place = done.move === "draw" ? "w" : done.to;
  const top = done.do === "undo" ? null : cardsOf(view.position.piles[place]).at(-1);
  const end = view.won ? ` The game is won, in ${view.position.moves} moves.` : "";
  return `${verb}${moveWords(done)}${top ? `, ${cardWords(top)}` : ""}. Score ${view.position.score}.${end}`;
}

// The keyboard.

const KEYS = {
  d: () => act({ do: "tap", place: "stock" }),
  u: () => act({ do: "undo" }),
  r: () => act({ do: "redo" }),
  w: () => hand.goTo("w"),
  f: () => hand.toFoundation(),
  b: () => hand.toBest(),
  a: () => byId("auto").click(),
  n: () => act({ do: "deal" }),
  c: () => codeDialog.open(),
  h: () => panel?.advise(),
  m: () => panel?.moveOnce(),
  p: () => panel?.toggle(),
  "?": () => byId("help-dialog").showModal(),
  Escape: () => {
    gestures.cancel();
    hand.letGo();
    notices.hide();
  },
};
for (const [k, place] of COLUMNS.entries()) KEYS[`${(k + 1) % 10}`] = () => hand.goTo(place);

function pressed(event) {
  if (document.querySelector("dialog[open]") || event.target.matches("input[type=text]")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    const deed = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[key];
    if (!deed) return;
    event.preventDefault();
    act({ do: deed });
    return;
  }
  if (event.altKey || !(key in KEYS)) return;
  event.preventDefault();
  KEYS[key]();
}

// What the tab keeps. Where a browser keeps nothing, the page works all the same.

function isAutomatic() {
  return byId("auto").getAttribute("aria-checked") === "true";
}

function remember({ id, ...game }) {
  keep(() => sessionStorage.setItem(STORE, JSON.stringify({ id, ...wayTo(game) })));
}

function keep(task) {
  try {
    return task();
  } catch {
    return null;
  }
}

/** Show this tab's game as the server has it, or give it back to a server that lost it. */
async function showFirst() {
  const kept = keep(() => JSON.parse(sessionStorage.getItem(STORE)));
  const first = kept ? await keptView(kept) : await client.create();
  show(first ?? (await client.create()), { isNew: true });
  showEnd(view);
  if (!first) notices.show("info", "The server does not take back the game of this tab; here is a new one.");
}

/** Return the game that the tab kept, or null if the server, perhaps of another version, refuses it. */
async function keptView(kept) {
  try {
    return await client.load(kept.id);
  } catch (error) {
    if (error.status !== GONE) throw error;
  }
  try {
    return await client.create(kept);
  } catch (error) {
    if (error.status !== NONSENSE) throw error;
    return null;
  }
}

async function saveEpisode() {
  const episode = await trying(() => asked(() => client.episode()));
  if (!episode) return;
  const link = htmlElement("a");
  link.href = URL.createObjectURL(new Blob([episode.text], { type: "application/json" }));
  link.download = episode.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_TAKES);
  notices.show("info", `Saved as ${episode.name}.`);
}

async function copyCode() {
  try {
    await navigator.clipboard.writeText(view.code);
    notices.show("info", "The code is on the clipboard.");
  } catch {
    getSelection().selectAllChildren(byId("deal"));
    notices.show("info", "The browser keeps the clipboard closed; the code is selected.");
  }
}

function setUpButtons() {
  const clicked = {
    undo: () => act({ do: "undo" }),
    redo: () => act({ do: "redo" }),
    new: () => act({ do: "deal" }),
    restart: () => act({ do: "restart" }),
    code: () => codeDialog.open(),
    copy: copyCode,
    save: saveEpisode,
    help: () => byId("help-dialog").showModal(),
    "won-new": () => act({ do: "deal" }),
    "won-again": () => act({ do: "restart" }),
    "won-save": saveEpisode,
  };
  for (const [id, deed] of Object.entries(clicked)) byId(id).addEventListener("click", deed);
  const auto = byId("auto");
  const setAuto = (isOn) => auto.setAttribute("aria-checked", isOn);
  setAuto(keep(() => localStorage.getItem(AUTO_STORE)) === "true");
  auto.addEventListener("click", () => {
    setAuto(!isAutomatic());
    keep(() => localStorage.setItem(AUTO_STORE, isAutomatic()));
    notices.say(`Automatic placement ${isAutomatic() ? "on" : "off"}.`);
  });
}

async function begin() {
  setUpDialog(byId("help-dialog"));
  setUpButtons();
  for (const row of document.querySelectorAll(".needs-agent")) row.hidden = !panel;
  await trying(showFirst);
  if (!view) return;
  document.addEventListener("keydown", pressed);
  document.body.classList.add("ready");
}

begin();
