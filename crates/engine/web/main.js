// @ts-check
// Starts the page: creates the model, mounts every view, and connects.

import { mountAnalyse } from "./analyse.js";
import { mountVoice } from "./announce.js";
import { App } from "./app.js";
import { mountEvalBar } from "./eval-bar.js";
import { mountDrop } from "./import.js";
import { mountKeys } from "./keys.js";
import { mountNotebook } from "./notebook.js";
import { mountPlay } from "./play.js";
import { mountReview } from "./review.js";
import { mountSetup } from "./setup.js";
import { mountShare } from "./share.js";
import { mountStage } from "./stage.js";
import { mountStatus } from "./status.js";
import { mountStrips } from "./strips.js";
import { mountTabs } from "./tabs.js";
import { mountTheme } from "./theme.js";
import { mountXray } from "./xray.js";

const app = new App();
mountTheme();
mountTabs(app);
const board = mountStage(app);
mountEvalBar(app);
mountStrips(app);
mountPlay(app);
mountAnalyse(app);
mountReview(app);
mountSetup(app, board);
mountXray(app);
mountNotebook(app);
mountShare(app);
mountDrop(app);
mountKeys(app, board);
mountVoice(app);
mountStatus(app);
app.start();
