// Placed before the engine's worker: notes when the engine last polled. It polls only while it searches.
{
  const now = () => performance.timeOrigin + performance.now();
  const watched = (poll) => (...values) => {
    globalThis.lastPoll = now();
    return poll(...values);
  };
  const { instantiate, instantiateStreaming, Suspending } = WebAssembly;
  const replace = (imports) => {
    const { poll } = imports.ferz;
    return typeof poll === "function" ? { ...imports, ferz: { ...imports.ferz, poll: watched(poll) } } : imports;
  };
  WebAssembly.instantiate = (source, imports) => instantiate(source, replace(imports));
  WebAssembly.instantiateStreaming = (source, imports) => instantiateStreaming(source, replace(imports));
  if (Suspending)
    WebAssembly.Suspending = function (poll) {
      return new Suspending(watched(poll));
    };
}
