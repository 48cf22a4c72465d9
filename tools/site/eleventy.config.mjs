// Builds the documentation site from the pages of the repository: npm run site.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { idOf, linkOf, missing, PAGES } from "./pages.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..", "..");
const OUTPUT = relative(process.cwd(), join(ROOT, ".site"));

export default function (eleventy) {
  const docs = readdirSync(join(ROOT, "docs"));
  const pages = docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  const lost = missing(ROOT, pages);
  if (lost.length > 0) throw new Error(`Not in the menu, or not there: ${lost.join(", ")}. See pages.mjs.`);

  const titles = {};
  const sections = [];
  for (const { source, url, title: short } of PAGES) {
    const text = readFileSync(join(ROOT, source), "utf8");
    const title = /^# (.*)$/m.exec(text)[1];
    titles[url] = short ?? title.split(":")[0];
    sections.push(...sectionsOf(text, url, titles[url]));
    eleventy.addTemplate(`${url}.md`, text, { permalink: url, layout: "page.11ty.mjs", title, source, url });
  }
  eleventy.addGlobalData("titles", titles);
  eleventy.addTemplate("search.11ty.js", () => JSON.stringify(sections), { permalink: "search.json" });

  for (const name of docs.filter((one) => one.endsWith(".png")))
    eleventy.addPassthroughCopy({ [relative(process.cwd(), join(ROOT, "docs", name))]: name });
  for (const name of ["site.css", "search.js"]) eleventy.addPassthroughCopy({ [name]: name });
  eleventy.addPassthroughCopy({ "node_modules/minisearch/dist/umd/index.js": "minisearch.js" });
  eleventy.amendLibrary("md", (markdown) => markdown.use(repositoryLinks));

  return {
    dir: { input: ".", includes: "layouts", output: OUTPUT },
    // Braces in a page are text.
    markdownTemplateEngine: false,
    templateFormats: ["md", "11ty.js"],
  };
}

/** What the search finds: a page by its headings and what is below each. */
function sectionsOf(text, url, page) {
  return text.split(/^(?=#{1,3} )/m).map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const title = plain(heading.replace(/^#+ /, ""));
    return {
      id: heading.startsWith("# ") ? url : `${url}#${idOf(title)}`,
      title,
      page,
      text: plain(lines.join(" ")),
    };
  });
}

function plain(markdown) {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|_]|-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Headings get the ids of GitHub; links and pictures lead to the site or, where it has no such page, to the repository. */
function repositoryLinks(markdown) {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const { source } = env;
    tokens.forEach((token, index) => {
      if (token.type === "heading_open") token.attrSet("id", idOf(textOf(tokens[index + 1])));
      for (const child of token.children ?? [])
        for (const name of ["href", "src"]) {
          const link = child.attrGet(name);
          if (link) child.attrSet(name, linkOf(source, link));
        }
    });
  });
}

function textOf({ children }) {
  return children
    .filter(({ type }) => type === "text" || type === "code_inline")
    .map(({ content }) => content)
    .join("");
}
