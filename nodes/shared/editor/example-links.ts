// Opens Node-RED's import dialog at the examples when a link in the help names one: `<a data-energy-example="NAME">`.

const LINK = "[data-energy-example]";
/** Names the listener, so that a script that the editor loads again replaces it. */
const CLICK = "click.energy-example";

/** Listens on the document, so that one call, by one script of the package, serves every help text. */
export function openExamplesOnClick(): void {
  $(document)
    .off(CLICK)
    .on(CLICK, LINK, (event) => {
      event.preventDefault();
      RED.actions.invoke("core:show-examples-import-dialog");
    });
}
