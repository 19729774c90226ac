"use strict";
// The play page: joins the table, what people do with it, the server, and the agent.

const STORE = "qv-game"; // in this tab alone: which game it plays, and what was done in it
const AUTO_STORE = "qv-auto";
const GLIDE = 220; // milliseconds
const NOTICE_LASTS = 7000; // milliseconds
const DOWNLOAD_TAKES = 10_000; // milliseconds, at most
const OUTLOOK_WAITS = 400; // milliseconds without a move

const byId = (id) => document.getElementById(id);
const settings = JSON.parse(byId("data").textContent);
const client = new Client();
const board = new Board(byId("board"));
const waste = new WasteStrip(byId("waste"));
let view = null;
let held = null; // the place whose card is held by keyboard
let queue = Promise.resolve(); // deeds are done one after another
let noticeTimer = null;
let outlookTimer = null;

const places = new Places(board, (place) => pressPlace(place));
const gestures = new Gestures(board, {
  targets: (place) => targetsOf(view, place),
  tap: (place) => act({ do: "tap", place }),
  doubleTap: (place) => act({ do: "double_tap", place }),
  drop: (source, target) => act({ do: "drop", source, target, auto: isAutomatic() }),
  covered: () => notify("refusal", settings.covered),
});
const codeDialog = new CodeDialog(byId("code-dialog"), (text) => beginDeal(text.trim()));
const panel = settings.agent && new AgentPanel(byId("agent"), settings.agent, {
  advise: () => trying(() => client.advice()),
  move: async () => Boolean((await act({ do: "agent" }))?.done),
  point: (from, to) => board.point(from, to),
  view: () => view,
  say: (text, { isNotice = false } = {}) => (isNotice ? notify("info", text) : say(text)),
});

/** Do something by the server after all that was asked before, and show what came of it. */
function act(deed) {
  if (panel && deed.do !== "agent") panel.stop();
  const result = queue.then(() => trying(() => perform(deed)));
  queue = result.catch(() => {});
  return result;
}

async function perform(deed) {
  let answer;
  try {
    answer = await client.do({ ...deed, revision: view.revision });
  } catch (error) {
    if (error.status === STALE) {
      show(await client.reload(), { isNew: true });
      showEnd(view);
      notify("info", "This game went on in another tab; here is how it stands.");
      return null;
    }
    if (error.status !== GONE) throw error;
    // The server was started anew, or dropped the idle game: it gets the game back.
    const again = await client.create(view.code, view.operations);
    answer = await client.do({ ...deed, revision: again.revision });
  }
  hold(null);
  const { done, refused } = answer;
  const before = view;
  const isNew = done?.do === "deal" || done?.do === "restart";
  show(answer, { done, isNew });
  if (refused) notify("refusal", refused.reason);
  else if (isNew) tellOfNewGame(done, before);
  else say(doneWords(done));
  showEnd(answer);
  return answer;
}

/** Say which game began, and offer the way back to the one that it took the place of. */
function tellOfNewGame(done, { code, operations, won }) {
  const way = operations.length && !won ? { deal: code, operations } : null;
  const news = done.do === "restart" ? "The same deal from its start." : `New game: ${view.deal}.`;
  notify("info", news, way && {
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
    notify("refusal", error.message);
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
  hideNotice();
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
    notify("end", "No legal move is left. Undo, or begin anew.");
  } else if (!position.stock && settings.hasOutlook) {
    outlookTimer = setTimeout(lookOut, OUTLOOK_WAITS);
  }
}

async function lookOut() {
  const { revision } = view;
  const outlook = await trying(() => client.outlook());
  if (!outlook?.hopeless || view.revision !== revision || outlook.revision !== revision) return;
  panel?.stop();
  notify("end", "The planner finds nothing that helps: no way to another card on the foundations.");
}

/** Show a sentence over the table, perhaps with a button; one about the end of the game stays. */
function notify(kind, text, offer = null) {
  const notice = byId("notice");
  clearTimeout(noticeTimer);
  notice.className = `notice ${kind}`;
  byId("notice-text").textContent = text;
  byId("notice-offer").hidden = !offer;
  byId("notice-offer").textContent = offer?.text ?? "";
  byId("notice-offer").onclick = offer?.run ?? null;
  notice.classList.add("on");
  if (kind !== "end") noticeTimer = setTimeout(hideNotice, NOTICE_LASTS);
}

function hideNotice() {
  clearTimeout(noticeTimer);
  byId("notice").classList.remove("on");
  byId("notice-text").textContent = "";
  byId("notice-offer").hidden = true;
}

/** Tell those who listen rather than look. */
function say(text) {
  byId("said").textContent = text;
}

function doneWords(done) {
  const verb = { undo: "Undone: ", redo: "Again: " }[done.do] ?? "";
  const place = done.move === "draw" ? "w" : done.to;
  const top = done.do === "undo" ? null : cardsOf(view.position.piles[place]).at(-1);
  const end = view.won ? ` The game is won, in ${view.position.moves} moves.` : "";
  return `${verb}${moveWords(done)}${top ? `, ${cardWords(top)}` : ""}. Score ${view.position.score}.${end}`;
}

// The keyboard.

/** Take the card of a place, or put the one that is held there. */
function pressPlace(place) {
  if (held === null) {
    if (place === "stock") act({ do: "tap", place });
    else if (place !== "stock" && cardsOf(view.position.piles[place]).length) hold(place);
    else notify("refusal", `There is no card on ${placeWords(place)}.`);
  } else if (place === held) {
    hold(null);
  } else {
    const source = held;
    act({ do: "drop", source, target: place, auto: isAutomatic() });
  }
}

function hold(place) {
  held = place;
  places.hold(place);
  const targets = place ? targetsOf(view, place) : [];
  board.point(place, targets);
  if (place) say(`Holding ${cardWords(cardsOf(view.position.piles[place]).at(-1))}. ${targetsWords(targets)}`);
}

function targetsWords(targets) {
  return targets.length ? `It may go to ${targets.map(placeWords).join("; ")}.` : "No place accepts it.";
}

function pressColumn(place) {
  places.focus(place);
  pressPlace(place);
}

/** Send the held card, or the one of the place in focus, to the first foundation that accepts it. */
function pressFoundation() {
  const source = held ?? document.activeElement.dataset.at;
  if (!source) return;
  const target = targetsOf(view, source).find((place) => place[0] === "f");
  act(target ? { do: "drop", source, target } : { do: "tap", place: source });
}

const KEYS = {
  d: () => act({ do: "tap", place: "stock" }),
  u: () => act({ do: "undo" }),
  r: () => act({ do: "redo" }),
  w: () => pressColumn("w"),
  f: pressFoundation,
  b: () => {
    const place = held ?? document.activeElement.dataset.at;
    if (place) act({ do: "double_tap", place });
  },
  a: () => byId("auto").click(),
  n: () => act({ do: "deal" }),
  c: () => codeDialog.open(),
  h: () => panel?.advise(),
  m: () => panel?.moveOnce(),
  p: () => panel?.toggle(),
  "?": () => byId("help-dialog").showModal(),
  Escape: () => {
    gestures.cancel();
    hold(null);
    hideNotice();
  },
};
for (const [k, place] of COLUMNS.entries()) KEYS[`${(k + 1) % 10}`] = () => pressColumn(place);

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

function remember({ id, code, operations }) {
  keep(() => sessionStorage.setItem(STORE, JSON.stringify({ id, code, operations })));
}

function keep(task) {
  try {
    return task();
  } catch {
    return null;
  }
}

/** Return this tab's game as the server has it, or give it back to a server that lost it. */
async function firstView() {
  const kept = keep(() => JSON.parse(sessionStorage.getItem(STORE)));
  if (!kept) return client.create();
  try {
    return await client.load(kept.id);
  } catch (error) {
    if (error.status !== GONE) throw error;
    return client.create(kept.code, kept.operations);
  }
}

async function saveEpisode() {
  const episode = await trying(() => client.episode());
  if (!episode) return;
  const link = htmlElement("a");
  link.href = URL.createObjectURL(new Blob([episode.text], { type: "application/json" }));
  link.download = episode.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_TAKES);
  notify("info", `Saved as ${episode.name}.`);
}

async function copyCode() {
  try {
    await navigator.clipboard.writeText(view.code);
    notify("info", "The code is on the clipboard.");
  } catch {
    getSelection().selectAllChildren(byId("deal"));
    notify("info", "The browser keeps the clipboard closed; the code is selected.");
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
    say(`Automatic placement ${isAutomatic() ? "on" : "off"}.`);
  });
}

async function begin() {
  setUpDialog(byId("help-dialog"));
  setUpButtons();
  for (const row of document.querySelectorAll(".needs-agent")) row.hidden = !panel;
  const first = await trying(firstView);
  if (!first) return;
  show(first, { isNew: true });
  showEnd(first);
  document.addEventListener("keydown", pressed);
  document.body.classList.add("ready");
}

begin();
