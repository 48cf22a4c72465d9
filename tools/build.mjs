// Builds dist/: the compiled TypeScript and, next to each node, its html, locales and icons. Fails on any error.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { pruneTypes } from "./prune-types.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodesFolder = join(root, "nodes");
const sharedFolder = join(nodesFolder, "shared", "editor");
const outFolder = join(root, "dist", "nodes");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

/** What the members of a palette node are in its script; there is no button if it is undefined. */
const MEMBERS = [
  "defaults",
  "paletteLabel",
  "label",
  "labelStyle",
  "outputLabels",
  "button",
  "onadd",
  "oneditprepare",
  "oneditsave",
].map((member) => `${member}: node.${member},`);
const WRITTEN_OUT = ['category: "energy sites", inputs: 1,', ...MEMBERS].join(" ");

/** Lets esbuild leave out what a node does not use. */
const editorModules = {
  name: "editor-modules",
  setup(build) {
    // Only the script of the node itself does something when it is loaded.
    build.onResolve({ filter: /^\./ }, async ({ path, pluginData, ...options }) => {
      if (pluginData?.isResolved) return undefined;
      const file = await build.resolve(path, { ...options, pluginData: { isResolved: true } });
      return { ...file, sideEffects: false };
    });
    // Engine code that runs in the editor, too, may share a file with code that needs Node.js: that is left out.
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
    // The Node-RED library reads definitions without running them, and cannot follow a spread.
    // In a CommonJS package, esbuild treats a file without exports as CommonJS and does not remove unused code.
    build.onLoad({ filter: /\.editor\.ts$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8").replace("...node,", WRITTEN_OUT)}\nexport {};`,
      loader: "ts",
    }));
  },
};

/** One inline script for each node, with the shared editor code bundled in, so that no other script is loaded. */
async function editorScript(name) {
  const result = await build({
    entryPoints: [join(nodesFolder, name, `${name}.editor.ts`)],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: true,
    charset: "utf8",
    logLevel: "warning",
    plugins: [editorModules],
  });
  return result.outputFiles[0].text.trim();
}

/** Replaces each `<!-- MARK: NAME -->` with the file NAME.html from a folder, so that shared parts exist only once. */
function withParts(text, mark, folder) {
  const part = (file) => withParts(readFileSync(join(folder, `${file}.html`), "utf8").trim(), mark, folder);
  return text.replace(new RegExp(`<!-- ${mark}: ([a-z-]+) -->`, "g"), (_mark, file) => part(file));
}

function form(name) {
  const fields = readFileSync(join(nodesFolder, name, `${name}.html`), "utf8").trim();
  const html = `<div class="energy-dialog">\n${withParts(fields, "row", join(sharedFolder, "rows"))}\n</div>`;
  return html.replaceAll(/^\s+/gm, "");
}

/** Completes the help in each language with the parts that nodes share, and with a message of an example, which stands once. */
function buildHelp(name, locales) {
  const message = join(nodesFolder, name, "example.json");
  for (const language of readdirSync(locales)) {
    const file = join(locales, language, `${name}.html`);
    // Node-RED shows the English help where there is none.
    if (!existsSync(file)) continue;
    const folder = join(sharedFolder, "help", language);
    const text = withParts(readFileSync(file, "utf8"), "help", folder);
    const example = (_mark, of) => {
      const title = readFileSync(join(folder, "example.html"), "utf8").replaceAll("EXAMPLE", of);
      return `${title}<pre>\n${readFileSync(message, "utf8").trim()}</pre>`;
    };
    writeFileSync(file, text.replace(/<!-- example: ([\w-]+) -->/, example));
  }
}

/** Copies the English error texts from the code, which type-checks their values, to the account's catalogue. */
function writeErrorTexts() {
  const { ERROR_TEXTS } = createRequire(import.meta.url)(join(root, "dist", "src", "error-texts.js"));
  const file = join(outFolder, "account", "locales", "en-US", "account.json");
  const texts = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...texts, error: ERROR_TEXTS }, null, 2)}\n`);
}

/** The look of palette and dialogs. The editor puts it into the page as it is, so that once is enough for all nodes. */
async function style() {
  const css = readFileSync(join(sharedFolder, "style.css"), "utf8");
  const { code } = await transform(css, { loader: "css", minify: true, charset: "utf8" });
  return `<style>\n${code.trim()}\n</style>`;
}

async function buildNode(name) {
  const folder = join(outFolder, name);
  mkdirSync(folder, { recursive: true });
  const html = [
    ...(name === "account" ? [await style()] : []),
    `<script type="text/html" data-template-name="energy-${name}">`,
    form(name),
    "</script>",
    '<script type="text/javascript">',
    await editorScript(name),
    "</script>",
    "",
  ];
  writeFileSync(join(folder, `${name}.html`), html.join("\n"));
  cpSync(join(nodesFolder, name, "locales"), join(folder, "locales"), { recursive: true });
  buildHelp(name, join(folder, "locales"));
}

rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.json")], { stdio: "inherit" });
pruneTypes(join(root, "dist"), join(root, "dist", "src", "index.d.ts"));
const names = readdirSync(nodesFolder).filter((name) => existsSync(join(nodesFolder, name, `${name}.html`)));
await Promise.all(names.map(buildNode));
writeErrorTexts();
// Node-RED shares icons within a module, so one copy next to one node is enough.
cpSync(join(root, "icons"), join(outFolder, "account", "icons"), { recursive: true });
