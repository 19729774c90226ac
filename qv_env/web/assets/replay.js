"use strict";
// The replay page: reads the game from the page and joins board, curve, moves and controls.

const LONGEST_GLIDE = 240; // milliseconds
const GLIDE_SHARE = 0.8; // of the time between two plies
const PAGE_PLIES = 10;

const byId = (id) => document.getElementById(id);
const game = JSON.parse(byId("data").textContent);
const end = game.plies.length;
const scores = game.positions.map(({ score }) => score);
const mostWaste = game.positions.reduce((most, { piles }) => Math.max(most, piles.w.length / 2), 0);

const board = new Board(byId("board"));
const waste = new WasteStrip(byId("waste"), mostWaste);
const player = new Player(end, show);
const chart = new ScoreChart(byId("chart"), scores, (ply) => player.go(ply));
const moves = new MoveList(byId("moves"), game.plies, scores, (ply) => player.go(ply));
const ratings = game.measure
  ? new Ratings(byId("ratings"), game.measure, (from, to) => board.point(from, to))
  : null;

function show({ isStep }) {
  const { ply } = player;
  const position = game.positions[ply];
  const move = game.plies[ply - 1];
  board.glide = Math.min(LONGEST_GLIDE, (GLIDE_SHARE * 1000) / player.speed);
  board.show(position, { moved: move?.to, still: !isStep });
  chart.show(ply);
  moves.show(ply);
  ratings?.show(game.plies[ply]);
  waste.show(cardsOf(position.piles.w));
  showFigures(position);
  showControls(ply, move);
}

function showFigures(position) {
  const placed = FOUNDATIONS.reduce((sum, f) => sum + cardsOf(position.piles[f]).length, 0);
  byId("score").textContent = position.score;
  byId("count").textContent = position.moves;
  byId("stock").textContent = position.stock;
  byId("foundations").textContent = placed;
}

function showControls(ply, move) {
  const slider = byId("slider");
  const words = move ? `ply ${ply} of ${end}: ${move.move}, ${cardLabel(move.card)}` : "the deal";
  slider.value = ply;
  slider.setAttribute("aria-valuetext", words);
  byId("counter").textContent = `${ply} / ${end}`;
  byId("ending").classList.toggle("on", ply === end);
  byId("speed").value = player.speed;
  byId("play").setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
  document.body.classList.toggle("playing", player.isPlaying);
  for (const id of ["first", "back"]) byId(id).disabled = ply === 0;
  for (const id of ["forward", "last"]) byId(id).disabled = ply === end;
  // While it plays, a voice could not keep up.
  if (!player.isPlaying) byId("said").textContent = `${words}, score ${scores[ply]}`;
}

const KEYS = {
  " ": () => player.toggle(),
  k: () => player.toggle(),
  ArrowLeft: () => player.go(player.ply - 1),
  ArrowRight: () => player.go(player.ply + 1),
  PageUp: () => player.go(player.ply - PAGE_PLIES),
  PageDown: () => player.go(player.ply + PAGE_PLIES),
  Home: () => player.go(0),
  End: () => player.go(end),
  "+": () => player.shift(1),
  "=": () => player.shift(1), // the same key without shift
  "-": () => player.shift(-1),
};

function pressed(event) {
  const isOwn = event.target.matches("select") || (event.key === " " && event.target.matches("button"));
  if (isOwn || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function begin() {
  byId("deal").textContent = game.deal;
  const who = htmlElement("bdi", "", game.agent ?? "somebody");
  byId("by").append("played by ", who, game.stock === "open" ? ", who saw the stock" : "");
  byId("by").title = `recorded by qv-env ${game.library}` + (game.seed === null ? "" : `, seed ${game.seed}`);
  byId("ending").textContent = game.ending;
  byId("ending").classList.add(game.ending);
  byId("summit").textContent = `score ${scores.reduce((a, b) => Math.max(a, b))}`;
  byId("slider").max = end;
  byId("speed").append(...SPEEDS.map((speed) => new Option(`${speed} / s`, speed)));
  const heights = game.positions.flatMap(({ piles }) => COLUMNS.map((t) => piles[t].length / 2));
  board.tallest = heights.reduce((a, b) => Math.max(a, b));
  byId("slider").addEventListener("input", (event) => player.go(Number(event.target.value)));
  byId("speed").addEventListener("change", (event) => player.setSpeed(Number(event.target.value)));
  byId("play").addEventListener("click", () => player.toggle());
  for (const [id, key] of [["first", "Home"], ["back", "ArrowLeft"], ["forward", "ArrowRight"], ["last", "End"]]) {
    byId(id).addEventListener("click", KEYS[key]);
  }
  document.addEventListener("keydown", pressed);
  player.go(0);
}

begin();
