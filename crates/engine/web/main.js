// @ts-check
// Starts the page: creates the model, mounts every view, and connects.

import { mountAnalyse } from "./analyse.js";
import { mountVoice } from "./announce.js";
import { App } from "./app.js";
import { mountEvalBar } from "./eval-bar.js";
import { mountDrop } from "./import.js";
import { mountKeys } from "./keys.js";
import { mountLayout } from "./layout.js";
import { mountNotebook } from "./notebook.js";
import { showError } from "./notices.js";
import { mountPlay } from "./play.js";
import { mountPrint } from "./print.js";
import { mountPuzzles } from "./puzzles.js";
import { mountReview } from "./review.js";
import { mountRoute } from "./route.js";
import { mountSettings } from "./settings.js";
import { mountSetup } from "./setup.js";
import { mountShare } from "./share.js";
import { mountSounds } from "./sounds.js";
import { mountStage } from "./stage.js";
import { mountStatus } from "./status.js";
import { mountStrips } from "./strips.js";
import { mountTabs } from "./tabs.js";
import { mountTheme } from "./theme.js";

const app = new App();
mountTheme();
mountSettings(app);
mountTabs(app);
mountRoute(app);
const board = mountStage(app);
mountEvalBar(app);
mountStrips(app);
mountPlay(app);
mountAnalyse(app);
mountReview(app, board);
mountPuzzles(app);
mountSetup(app, board);
mountNotebook(app);
mountLayout(app);
mountShare(app);
mountPrint(app);
mountDrop(app);
mountKeys(app, board);
mountVoice(app);
mountSounds(app);
mountStatus(app);

// The X-ray is a fifth of the page: it is loaded when it is opened.
let hasXray = false;
app.store.on(["tab"], () => {
  if (hasXray || app.store.get("tab") !== "xray") return;
  hasXray = true;
  import("./xray.js").then(({ mountXray }) => mountXray(app), showError);
});

// Only some hosts have a library. Its modules are loaded when the host says so.
let hasLibrary = false;
app.store.on(["welcome"], () => {
  if (hasLibrary || !app.store.get("welcome")?.library) return;
  hasLibrary = true;
  import("./library.js").then(({ mountLibrary }) => mountLibrary(app), showError);
});
app.start();
