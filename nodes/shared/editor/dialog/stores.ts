// Lists the context stores of this Node-RED among the places where a poll can store its position.
import { sharedText } from "../texts";

/** Adds an option for each context store. Does nothing if the dialog has no such field. */
export function addStores(select: JQuery): void {
  for (const name of RED.settings.context?.stores ?? []) {
    $("<option>").val(`context:${name}`).text(sharedText("option.store.context", { name })).appendTo(select);
  }
}
