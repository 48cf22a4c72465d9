// The guided tour of the first three steps, and the palette's actions.
import { reportOn } from "../shared/editor/diagnostics";
import { formOf } from "../shared/editor/dialog/fields";
import { sharedText } from "../shared/editor/texts";

const PACKAGE = "@energy-sites/node-red";
const EXAMPLES = `library/examples/flows/${PACKAGE}/`;
const OFFERED = "energy-first-steps";
const VALUE = ".red-ui-palette-node[data-palette-type='energy-latest-value']";

/** What the editor imports as the module of a tour. */
const page = globalThis as typeof globalThis & { energyFirstSteps?: object };
const TOUR = "data:text/javascript,export default globalThis.energyFirstSteps";

/** The first account's dialog offers the tour, and never again. */
export function offerFirstSteps(node: EditorNode): void {
  if (RED.settings.getLocal(OFFERED)) return;
  RED.settings.setLocal(OFFERED, "yes");
  const link = $("<button>", { type: "button", class: "energy-link" }).text(sharedText("tour.offer"));
  formOf(node)
    .find(".energy-dialog")
    .append($("<div>", { class: "form-row energy-demo" }).append(link));
  link.on("click", () => {
    link.prop("disabled", true).text(sharedText("tour.later"));
    RED.events.on("editor:close", start);
  });
}

/** When the dialogs have slid out. */
function start(): void {
  RED.events.off("editor:close", start);
  setTimeout(showFirstSteps, 500);
}

function showFirstSteps(): void {
  let value = "";
  const isValue = ({ id, type }: EditorNode): boolean => {
    if (type === "energy-latest-value") value = id;
    return value !== "";
  };
  const place = "inset-bottom-right";
  const steps = [
    { text: "tour.step1", element: VALUE, direction: "right", wait: on("nodes:add", isValue) },
    {
      text: "tour.step2",
      element: () => $(document.getElementById(value) ?? document.body),
      direction: "bottom",
      wait: on("editor:save"),
    },
    { text: "tour.step3", element: "#red-ui-header-button-deploy", direction: place, wait: on("deploy") },
  ];
  page.energyFirstSteps = {
    steps: steps.map(({ text, ...step }) => ({
      ...step,
      fallback: place,
      width: 320,
      description: sharedText(text),
    })),
  };
  $(VALUE)[0]?.scrollIntoView();
  RED.tourGuide.run(TOUR);
}

/** What ends a step. */
function on(event: string, filter?: (node: EditorNode) => boolean): object {
  return { type: "nr-event", event, ...(filter && { filter }) };
}

export function addActions(): void {
  const actions: Record<string, () => void> = {
    "import-examples": () => void importExamples(),
    diagnostics: showDiagnostics,
    "first-steps": showFirstSteps,
  };
  for (const [name, run] of Object.entries(actions)) {
    // The editor may load this script again.
    RED.actions.remove(`energy-sites:${name}`);
    RED.actions.add(`energy-sites:${name}`, run, { label: sharedText(`action.${name}`) });
  }
}

/** Those that are not in the flow yet; they share accounts and brokers. */
async function importExamples(): Promise<void> {
  const files = (await $.getJSON(EXAMPLES)) as { fn: string }[];
  const flows = await Promise.all(files.map(({ fn }) => $.getJSON(EXAMPLES + encodeURIComponent(fn))));
  const nodes = new Map((flows.flat() as { id: string }[]).map((node) => [node.id, node]));
  const fresh = [...nodes.values()].filter(({ id }) => !RED.nodes.node(id) && !RED.nodes.workspace(id));
  RED.nodes.import(fresh, { markChanged: true });
  RED.nodes.dirty(true);
  RED.view.redraw(true);
}

/** Of the selected node, or else of the only account. */
function showDiagnostics(): void {
  const [selected] = RED.view.selection().nodes ?? [];
  const accounts: EditorNode[] = [];
  RED.nodes.eachConfig((node) => {
    if (node.type === "energy-account") accounts.push(node);
  });
  const node = selected?.type.startsWith("energy-") ? selected : accounts[0];
  if (node) reportOn(node).catch((error: Error) => RED.notify($("<p>").text(error.message), "error"));
  else RED.notify(sharedText("action.nothing"), "warning");
}
