// Registers the account, a config node, in the editor.
import { ACCOUNT } from "./settings";
import { credentials, properties } from "../shared/editor/settings/defaults";
import { addDiagnostics } from "../shared/editor/diagnostics/diagnostics";
import { prepareDialog, saveNumbers } from "../shared/editor/dialog/dialog";
import { openExamplesOnClick } from "../shared/editor/example-links";
import { prepareFolds } from "../shared/editor/dialog/fold";
import { labelStyle } from "../shared/editor/palette-node";
import { prepareAdd } from "./add-button.editor";
import { connectionSummary } from "./connection-summary.editor";
import { sameOrigin, saveOrigin } from "./credential-origin.editor";
import { prepareService } from "./service-choice.editor";
import { prepareTest } from "./test-button.editor";
import { prepareVersion, version } from "./version-choice.editor";

openExamplesOnClick();

RED.nodes.registerType("energy-account", {
  category: "config",
  defaults: properties(ACCOUNT, { apiVersion: version, baseUrl: sameOrigin }),
  // The dialog has no field for the origin.
  credentials: { ...credentials(ACCOUNT), origin: { type: "text" } },
  label() {
    return (
      this.name || (this["service"] === "demo" ? "demo" : hostOf(this["baseUrl"])) || this._("label.palette")
    );
  },
  labelStyle,
  oneditprepare() {
    prepareDialog(this);
    addDiagnostics(this);
    prepareService(this);
    prepareVersion(this);
    prepareAdd(this);
    prepareTest(this);
    prepareFolds(this, { connection: connectionSummary });
  },
  oneditsave() {
    saveNumbers(this);
    saveOrigin(this);
  },
});

/** The host of a URL; a reference such as ${NAME} is returned unchanged. */
function hostOf(url: unknown): string {
  if (typeof url !== "string") return "";
  return URL.canParse(url) ? new URL(url).host : url;
}
