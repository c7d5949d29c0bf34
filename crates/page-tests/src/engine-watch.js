// Placed before the engine's worker: notes when the engine last polled. It polls only while it searches.
{
  const watched =
    (poll) =>
    (...values) => {
      globalThis.lastPoll = performance.timeOrigin + performance.now();
      return poll(...values);
    };
  const { Instance, Suspending } = WebAssembly;
  WebAssembly.Instance = function (module, { ferz }) {
    const poll = typeof ferz.poll === "function" ? watched(ferz.poll) : ferz.poll;
    return new Instance(module, { ferz: { ...ferz, poll } });
  };
  if (Suspending)
    WebAssembly.Suspending = function (poll) {
      return new Suspending(watched(poll));
    };
}
