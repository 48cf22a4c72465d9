// What helps a new user: the palette's words, the guided tour of the first three steps, and the actions.
import { reasonOf } from "../shared/editor/admin-request";
import { reportOn } from "../shared/editor/diagnostics";
import { addRow, linkButton } from "../shared/editor/dialog/fields";
import { accountIds } from "../shared/editor/new-nodes";
import { notify, sharedText } from "../shared/editor/texts";

const PACKAGE = "@energy-sites/node-red";
const EXAMPLES = `library/examples/flows/${PACKAGE}/`;
const OFFERED = "energy-first-steps";
const VALUE = ".red-ui-palette-node[data-palette-type='energy-latest-value']";

const CATEGORY = "#red-ui-palette-header-energy_sites > span";
const NODES = ".red-ui-palette-node[data-palette-type^='energy-']";
/** The search of the palette looks at the type and at this attribute. */
const SEARCHED = "data-palette-label";
/** Nodes with words of their own. */
const NAMED = ["mqtt", "points", "statistics", "totals", "threshold"];

/** What the editor imports as the module of a tour. */
const page = globalThis as typeof globalThis & { energyFirstSteps?: object };
const TOUR = "data:text/javascript,export default globalThis.energyFirstSteps";

/** The first account's dialog offers the tour, and never again. */
export function offerFirstSteps(node: EditorNode): void {
  if (RED.settings.getLocal(OFFERED)) return;
  RED.settings.setLocal(OFFERED, "yes");
  const link = linkButton(sharedText("tour.offer"));
  addRow(node).append(link);
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
    { text: "tour.step3", element: "#red-ui-header-button-deploy", direction: "bottom", wait: on("deploy") },
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
  const actions: Record<string, () => Promise<void>> = {
    "import-examples": importExamples,
    diagnostics: showDiagnostics,
    "first-steps": async () => showFirstSteps(),
  };
  for (const [name, act] of Object.entries(actions)) {
    const run = (): void => void act().catch((error: unknown) => notify("error", reasonOf(error)));
    // The editor may load this script again.
    RED.actions.remove(`energy-sites:${name}`);
    RED.actions.add(`energy-sites:${name}`, run, { label: sharedText(`action.${name}`) });
  }
}

/** Those that are not in the flow yet; they share accounts and brokers. */
async function importExamples(): Promise<void> {
  const files = (await $.getJSON(EXAMPLES)) as { fn: string }[];
  const flows = await Promise.all(files.map(({ fn }) => $.getJSON(EXAMPLES + encodeURIComponent(fn))));
  const nodes = new Map((flows.flat() as { id: string; z?: string }[]).map((node) => [node.id, node]));
  const fresh = [...nodes.values()].filter(
    ({ id, z = id }) => !RED.nodes.node(id) && !RED.nodes.workspace(z),
  );
  RED.nodes.import(fresh, { markChanged: true });
  RED.nodes.dirty(true);
  RED.view.redraw(true);
}

/** Of the selected node, or else of the first account. */
async function showDiagnostics(): Promise<void> {
  const [selected] = RED.view.selection().nodes ?? [];
  const [first = ""] = accountIds();
  const node = selected?.type.startsWith("energy-") ? selected : RED.nodes.node(first);
  if (!node) throw new Error(sharedText("action.nothing"));
  await reportOn(node);
}

/** Lets people find the nodes in the palette by what they look for. */
export function describeNodes(): void {
  $(CATEGORY).text(sharedText("palette.category"));
  $(NODES).each((_index, element) => {
    const name = String($(element).attr("data-palette-type")).slice("energy-".length);
    const keys = NAMED.includes(name) ? ["all", name] : ["all"];
    const words = keys.map((key) => sharedText(`palette.words.${key}`)).join(" ");
    const label = $(element).attr(SEARCHED) ?? "";
    if (!label.endsWith(words)) $(element).attr(SEARCHED, `${label} ${words}`);
  });
}
