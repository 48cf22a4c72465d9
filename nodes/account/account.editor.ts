// Registers the account, a config node, in the editor.
import { ACCOUNT } from "../../src/settings/table/account";
import { credentials, properties } from "../shared/editor/defaults";
import { prepareDialog, saveNumbers } from "../shared/editor/dialog";
import { labelStyle } from "../shared/editor/palette";
import { prepareVersion, version } from "./version-choice.editor";

RED.nodes.registerType("energy-account", {
  category: "config",
  defaults: properties(ACCOUNT, { apiVersion: version }),
  credentials: credentials(ACCOUNT),
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

/** The host of a URL; a reference such as ${NAME} is returned unchanged. */
function hostOf(url: unknown): string {
  if (typeof url !== "string") return "";
  return URL.canParse(url) ? new URL(url).host : url;
}
