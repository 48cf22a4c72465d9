// The frame of a page: menu, search, and the page itself.
import { MENU, REPOSITORY } from "../pages.mjs";

export function render({ title, content, source, url, titles }) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="stylesheet" href="site.css" />
  </head>
  <body>
    <a class="skip" href="#content">To the content</a>
    <nav aria-label="Pages">
      <a class="home" href="index.html">Energy sites for Node-RED</a>
      <div id="search" role="search">
        <input type="search" placeholder="Search" aria-label="Search all pages" />
        <ul aria-live="polite"></ul>
      </div>
      ${MENU.map((section) => menuOf(section, url, titles)).join("\n")}
    </nav>
    <main id="content">
      ${content}
      <footer><a href="${REPOSITORY}${source}">This page in the repository</a></footer>
    </main>
    <script src="minisearch.js"></script>
    <script src="search.js"></script>
  </body>
</html>
`;
}

function menuOf({ title, pages }, current, titles) {
  const items = pages.map(({ url }) => {
    const here = url === current ? ' aria-current="page"' : "";
    return `<li><a href="${url}"${here}>${titles[url]}</a></li>`;
  });
  return `<h2>${title}</h2>\n<ul>${items.join("")}</ul>`;
}
