// Registers the account, a config node, in the editor.
import { settingValue } from "../../src/settings/reading";
import { ACCOUNT } from "./settings";
import { addDiagnostics } from "../shared/editor/diagnostics";
import { prepareDialog, saveNumbers } from "../shared/editor/dialog/dialog";
import { revealErrorsOnAdd } from "../shared/editor/dialog/field-errors";
import { ADD_NEW, currentValue, fieldOf } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/folds";
import { isNew } from "../shared/editor/new-nodes";
import { labelStyle, paletteLabel } from "../shared/editor/palette-node";
import { credentials, properties } from "../shared/editor/settings";
import { sharedText } from "../shared/editor/texts";
import { prepareService, prepareVersion, version } from "./account-choices.editor";
import { prepareTest } from "./account-test.editor";
import { sameOrigin, saveOrigin } from "./credential-origin.editor";
import { addActions, offerFirstSteps } from "./first-steps.editor";
import { preparePalette } from "./palette.editor";

preparePalette();
addActions();

RED.nodes.registerType("energy-account", {
  category: "config",
  defaults: properties(ACCOUNT, { apiVersion: version, baseUrl: sameOrigin }),
  // The dialog has no field for the origin.
  credentials: { ...credentials(ACCOUNT), origin: { type: "text" } },
  paletteLabel,
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
    revealErrorsOnAdd(this);
    prepareTest(this);
    offerFirstSteps(this);
    focusBaseUrl(this);
    prepareFolds(this, { connection: connectionSummary });
  },
  oneditsave() {
    saveNumbers(this);
    saveOrigin(this);
  },
});

/** The first field to fill in takes the focus that the editor gives to a dialog that has slid in. */
function focusBaseUrl(node: EditorNode): void {
  const field = fieldOf(node, "baseUrl");
  if (isNew(node))
    field.closest(".red-ui-tray").one("focusin", () => void setTimeout(() => field.trigger("focus")));
}

/** The host of a URL; a reference such as ${NAME} is returned unchanged. */
function hostOf(url: unknown): string {
  if (typeof url !== "string") return "";
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Such as "30 s · 4 parallel requests · no proxy". */
function connectionSummary(node: EditorNode): string {
  const number = (key: "timeout" | "concurrency" | "requestsPerMinute"): number =>
    settingValue(ACCOUNT[key], currentValue(node, key));
  const rate = number("requestsPerMinute");
  const tls = chosenNode(node, "tls");
  const parts = [
    `${number("timeout")} ${sharedText("unit.seconds")}`,
    sharedText("account.parallel", { count: number("concurrency") }),
    ...(rate > 0 ? [`${rate} ${sharedText("unit.perMinute")}`] : []),
    ...(tls === "" ? [] : [`TLS: ${tls}`]),
    chosenNode(node, "proxy") || sharedText("account.noProxy"),
  ];
  return parts.join(" · ");
}

/** The name of the selected config node; "" if none is. */
function chosenNode(node: EditorNode, property: string): string {
  const field = fieldOf(node, property);
  return ["", ADD_NEW].includes(String(field.val() ?? "")) ? "" : field.find("option:selected").text();
}

// The script of the account serves the links to examples in the help of all nodes: `<a data-energy-example="NAME">`. The names
// of the events let it replace its listener when the editor loads it again.
$(document)
  .off("click.energy-example")
  .on("click.energy-example", "[data-energy-example]", (event) => {
    event.preventDefault();
    RED.actions.invoke("core:show-examples-import-dialog");
  });
