// @ts-check
// Browsers load no modules from files, so this sentence needs a script of the old kind.
if (location.protocol === "file:") {
  const words = document.createElement("p");
  words.className = "noscript";
  words.textContent =
    "This page works only from a web server. In this folder, run: python3 -m http.server. Then open " +
    "http://localhost:8000/.";
  document.body.prepend(words);
}
