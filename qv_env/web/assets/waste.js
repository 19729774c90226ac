"use strict";
// The whole waste, as a strip of tags; the card drawn first stands at the left.

class WasteStrip {
  /** Fill a list; there is always room for so many cards, so that nothing else moves. */
  constructor(list, room = 0) {
    this.list = list;
    this.room = room;
  }

  show(cards) {
    const { list } = this;
    const count = Math.max(cards.length, this.room);
    while (list.children.length > count) list.lastElementChild.remove();
    while (list.children.length < count) list.append(htmlElement("li", "room", cardTag("TS")));
    for (const [k, item] of [...list.children].entries()) {
      const card = cards[k] ?? "";
      item.className = k === cards.length - 1 ? "top" : card ? "" : "room";
      if (!card || item.dataset.card === card) continue;
      item.dataset.card = card;
      item.replaceChildren(cardTag(card));
    }
    list.scrollLeft = list.scrollWidth;
  }
}
