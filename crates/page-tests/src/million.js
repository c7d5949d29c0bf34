// A library of a million games that exist only here: it answers the page's questions in place of the server.
(() => {
  const TOTAL = 1_000_000;
  const NAMES = ["Adams", "Botvinnik", "Capablanca", "Duras", "Euwe", "Fine", "Geller"];
  const OPENINGS = [
    ["B90", "Sicilian Defence: Najdorf Variation"],
    ["C65", "Ruy Lopez: Berlin Defence"],
    ["D37", "Queen's Gambit Declined"],
  ];
  const entry = (index) => {
    const [eco, opening] = OPENINGS[index % 3];
    return {
      game: index + 1,
      white: `${NAMES[index % 7]}, ${index}`,
      black: `${NAMES[(index * 3 + 1) % 7]}, ${index}`,
      white_elo: 2000 + (index % 800),
      black_elo: 2000 + ((index * 7) % 800),
      result: ["1-0", "0-1", "1/2-1/2"][index % 3],
      date: `${1900 + (index % 120)}.05.17`,
      event: "Nowhere",
      site: "?",
      round: "?",
      eco,
      opening,
      plies: 40 + (index % 90),
      folder: null,
      tags: [],
      added_ms: index,
      is_current: false,
    };
  };
  const summary = {
    type: "library",
    games: TOTAL,
    deleted: 0,
    folders: [{ folder: 1, name: "Tournaments", games: 1200 }],
    tags: [{ tag: "endgames", games: 31 }],
    writable: true,
  };
  const answer = (message) => {
    if (message.type === "library_list") {
      const from = message.from ?? 0;
      const count = Math.max(0, Math.min(message.count ?? 50, TOTAL - from));
      const games = Array.from({ length: count }, (_, at) => entry(from + at));
      window.listed = (window.listed ?? 0) + 1;
      return { type: "library_list", from, total: TOTAL, games };
    }
    return message.type === "library_summary" ? summary : null;
  };

  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    send(text) {
      const message = JSON.parse(text);
      const said = answer(message);
      if (!said) {
        delete message.library;
        super.send(JSON.stringify(message));
        return;
      }
      const data = JSON.stringify({ ...said, re: message.id });
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })), 15);
    }
    set onmessage(listener) {
      super.onmessage = (event) => {
        const message = JSON.parse(event.data);
        if (message.type === "welcome") message.library = { games: TOTAL, writable: true };
        listener(new MessageEvent("message", { data: JSON.stringify(message) }));
      };
    }
  };
})();
