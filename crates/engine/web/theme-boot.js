// @ts-check
// Sets the saved colour theme before the first paint. A module would run too late.
try {
  const theme = localStorage.getItem("ferz-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's theme is used.
}
