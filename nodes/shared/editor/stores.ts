// The choice of where a poll keeps its place: beside file and none, the context stores of this Node-RED.
import { sharedText } from "./texts";

/** Adds an option for each context store. Without a select it does nothing. */
export function addStores(select: JQuery): void {
  for (const name of RED.settings.context?.stores ?? []) {
    $("<option>").val(`context:${name}`).text(sharedText("option.store.context", { name })).appendTo(select);
  }
}
