// What runs in a worker: it answers the messages of EngineWorker.
import { Engine, rawSearch } from "./engine.js";
import { load, PACKED, u8, wasm, writeMoves } from "./instance.js";

/** Answers messages; `post` sends the answers. */
export function serve(post) {
  let opened;
  const answer = async (message) => {
    if (message.type === "open") {
      opened = load(message.module).then(() => new Engine({ hash: message.hash }));
      await opened;
      return;
    }
    const engine = await opened;
    if (message.type === "clear") {
      engine.clear();
      return;
    }
    const { id, start, moves, checked, stop } = message;
    const loadMoves = () => {
      writeMoves(moves);
      u8().set(start, PACKED);
      wasm.game_load(moves.length);
    };
    const isStopped = stop === undefined ? () => false : () => Atomics.load(stop, 0) !== 0;
    const result = rawSearch(engine, loadMoves, checked, (line) => post({ type: "line", id, line }), isStopped);
    post({ type: "result", id, result });
  };
  /** One message after the other. */
  let queue = Promise.resolve();
  return (message) => {
    queue = queue
      .then(() => answer(message))
      .catch(({ code = "worker", message: text }) =>
        post({ type: "error", id: message.id, error: { code, message: text } }),
      );
  };
}
