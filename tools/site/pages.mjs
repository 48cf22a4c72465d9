// The pages of the documentation site, in the order of its menu. Nothing is written for the site alone: these are the files of
// the repository, whose links are made to fit.
import { existsSync } from "node:fs";
import { posix } from "node:path";

export const REPOSITORY = "https://github.com/energy-sites/node-red/blob/main/";

export const MENU = [
  {
    title: "Start",
    pages: [page("README.md", "index", "Overview"), inDocs("questions"), inDocs("troubleshooting")],
  },
  {
    title: "Guides",
    pages: ["safe-automations", "no-record-lost", "totals", "home-assistant", "fleets"].map(inDocs),
  },
  {
    title: "Reference",
    pages: [...["messages", "assumptions", "security", "performance"].map(inDocs), page("CHANGELOG.md")],
  },
  {
    title: "Contribute",
    pages: [
      page("CONTRIBUTING.md"),
      page("docs/architecture.md"),
      page("SECURITY.md", "report-a-vulnerability", "Report a vulnerability"),
    ],
  },
];

export const PAGES = MENU.flatMap(({ pages }) => pages);

function inDocs(name) {
  return page(`docs/${name}.md`);
}

/** @param title in the menu; by default that of the page, up to a colon */
function page(source, name = posix.basename(source, ".md").toLowerCase(), title) {
  return { source, url: `${name}.html`, title };
}

/** Where a link of a page leads on the site: to another page, to a picture, or to the file in the repository. */
export function linkOf(source, link) {
  if (/^[a-z]+:/i.test(link) || link.startsWith("#")) return link;
  const [path, heading] = link.split("#");
  const target = posix.normalize(posix.join(posix.dirname(source), path));
  const known = PAGES.find((one) => one.source === target);
  const hash = heading === undefined ? "" : `#${heading}`;
  if (known) return known.url + hash;
  if (target.endsWith(".png")) return posix.basename(target);
  return REPOSITORY + target + hash;
}

/** The id of a heading, as GitHub makes it. */
export function idOf(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** The pages that exist nowhere but in the menu, or in `docs` alone. */
export function missing(root, files) {
  const listed = PAGES.map(({ source }) => source);
  return [
    ...listed.filter((source) => !existsSync(posix.join(root, source))),
    ...files.filter((file) => !listed.includes(file)),
  ];
}
