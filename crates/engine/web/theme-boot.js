// Before anything is painted: the colours that were chosen here before. A module would come too late.
try {
  const theme = localStorage.getItem("ferz-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's choice stands.
}
