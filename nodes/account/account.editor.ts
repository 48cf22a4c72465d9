// Registers the account, a config node, in the editor.
import { STORED_SECRET } from "../../src/choices/choices";
import { decimalOf, EMBEDDED_REFERENCE } from "../../src/settings/rules";
import { ACCOUNT } from "./settings";
import { addDiagnostics } from "../shared/editor/diagnostics";
import { prepareDialog, saveNumbers } from "../shared/editor/dialog/dialog";
import { revealErrorsOnAdd } from "../shared/editor/dialog/field-errors";
import { ADD_NEW, currentText, fieldOf, isInDialog, rowOf } from "../shared/editor/dialog/fields";
import { prepareFolds } from "../shared/editor/dialog/folds";
import { isNew } from "../shared/editor/new-nodes";
import { labelStyle, paletteLabel } from "../shared/editor/palette-node";
import { credentials, properties } from "../shared/editor/settings";
import { faultText, sharedText } from "../shared/editor/texts";
import { prepareTest } from "./account-test.editor";
import { addActions, describeNodes, offerFirstSteps } from "./first-steps.editor";

const CARDS = "[name='energy-service']";
const VERSION = "#energy-version-choice";
/** The option for a version that is typed in. */
const OTHER = "other";

// The account, which is registered below, may be the last of the nodes.
RED.events.on("registry:node-type-added", describeNodes);
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

/** Two cards for the user's account and the demo. A value that this version does not know selects no card and is kept. */
function prepareService(node: EditorNode): void {
  const field = fieldOf(node, "service");
  const cards = $(CARDS);
  cards.val([String(field.val())]);
  cards.on("change", () => field.val(String(cards.filter(":checked").val())).trigger("change"));
}

/** The known API versions in a list, and a text field for any other, so that no stored version is lost. */
function prepareVersion(node: EditorNode): void {
  const field = fieldOf(node, "apiVersion");
  const choice = $(VERSION);
  // A list without the version has nothing selected then.
  if (choice.val(String(field.val())).val() === null) choice.val(OTHER);
  const row = rowOf(field).toggle(choice.val() === OTHER);
  choice.on("change", () => {
    const isOther = choice.val() === OTHER;
    field.val(isOther ? "" : String(choice.val())).trigger("change");
    row.toggle(isOther);
    if (isOther) field.trigger("focus");
  });
}

/** Only the open dialog can distinguish "other, not typed in yet" from "no version". */
function version(this: EditorNode, value: unknown): true | string {
  const isEmpty = typeof value !== "string" || value.trim() === "";
  const isMissing = isEmpty && isInDialog(this, "apiVersion") && $(VERSION).val() === OTHER;
  return !isMissing || sharedText("validator.version");
}

/**
 * Stores for which origin (scheme, host, port) the secret was entered, because the runtime sends it to no other. Of a URL with a
 * ${NAME}, the runtime knows the origin.
 */
function saveOrigin(node: EditorNode): void {
  const secret = enteredSecret(node);
  if (secret === "" || secret === STORED_SECRET) return;
  const baseUrl = String(fieldOf(node, "baseUrl").val()).trim();
  node.credentials = { ...node.credentials, origin: originIn(baseUrl) ?? baseUrl };
}

/** Says in the open dialog that the stored secret does not go with this base URL. */
function sameOrigin(this: EditorNode, value: unknown): true | string {
  if (!isInDialog(this, "baseUrl") || enteredSecret(this) !== STORED_SECRET) return true;
  const [origin, owner] = [originIn(value), originIn(this.credentials?.["origin"])];
  const isSame = origin === undefined || owner === undefined || origin === owner;
  return isSame || faultText("credentialsOrigin", { origin: owner });
}

function enteredSecret(node: EditorNode): string {
  return String(fieldOf(node, "clientSecret").val());
}

/** Undefined if only the runtime knows it, as with ${NAME}. */
function originIn(text: unknown): string | undefined {
  const url = String(text).trim();
  const isKnown = URL.canParse(url) && url.search(EMBEDDED_REFERENCE) === -1;
  return isKnown ? new URL(url).origin : undefined;
}

/** The host of a URL; a reference such as ${NAME} is returned unchanged. */
function hostOf(url: unknown): string {
  if (typeof url !== "string") return "";
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Such as "30 s · 4 parallel requests · no proxy". */
function connectionSummary(node: EditorNode): string {
  // Only the runtime knows the number of a ${NAME}.
  const shown = (key: string): number | string => {
    const text = currentText(node, key);
    return decimalOf(text) ?? text;
  };
  const rate = shown("requestsPerMinute");
  const tls = chosenNode(node, "tls");
  const parts = [
    `${shown("timeout")} ${sharedText("unit.seconds")}`,
    sharedText("account.parallel", { count: shown("concurrency") }),
    ...(rate === 0 ? [] : [`${rate} ${sharedText("unit.perMinute")}`]),
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
