// Registers the account, a config node, in the editor.
import { NAME, numberProperty } from "../shared/editor/defaults";
import { prepareDialog, saveNumbers } from "../shared/editor/dialog";
import { labelStyle } from "../shared/editor/palette";
import { sharedText } from "../shared/editor/texts";
import { baseUrl, filled, headerName, onlyWhen } from "../shared/editor/validators";
import { prepareVersion, version } from "./version-choice.editor";

/** The simulated service needs no credentials. */
function credential(type: EditorCredential["type"], label: string): EditorCredential {
  return { type, label, validate: onlyWhen("service", "live", filled) };
}

RED.nodes.registerType("energy-account", {
  category: "config",
  defaults: {
    ...NAME,
    service: { value: "live" },
    baseUrl: {
      value: "",
      label: sharedText("label.baseUrl"),
      validate: onlyWhen("service", "live", baseUrl),
    },
    apiVersion: { value: "", label: sharedText("label.otherVersion"), validate: version },
    versionHeader: {
      value: "VendorApi-Version",
      label: sharedText("label.versionHeader"),
      validate: onlyWhen("service", "live", headerName),
    },
    timeout: numberProperty("timeout", 30, { min: 1, max: 600 }),
    concurrency: numberProperty("concurrency", 4, { min: 1, max: 64 }),
    requestsPerMinute: numberProperty("requestsPerMinute", 0, { min: 0, max: 60_000 }),
    tls: { value: "", type: "tls-config", required: false },
    proxy: { value: "", type: "http proxy", required: false },
  },
  credentials: {
    clientId: credential("text", sharedText("label.clientId")),
    clientSecret: credential("password", sharedText("label.clientSecret")),
  },
  label() {
    return (
      this.name || (this["service"] === "demo" ? "demo" : hostOf(this["baseUrl"])) || this._("label.palette")
    );
  },
  labelStyle,
  oneditprepare() {
    prepareDialog(this);
    prepareVersion(this);
  },
  oneditsave() {
    saveNumbers(this);
  },
});

/** The host of a URL; a reference such as ${NAME} as it stands. */
function hostOf(url: unknown): string {
  if (typeof url !== "string") return "";
  return URL.canParse(url) ? new URL(url).host : url;
}
