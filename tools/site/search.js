// Searches the pages: in the browser, in the list of sections that the build has written.
/* global MiniSearch */
const field = document.querySelector("#search input");
const list = document.querySelector("#search ul");
const MOST = 12;
let search;

async function sections() {
  const response = await fetch("search.json");
  const index = new MiniSearch({
    fields: ["title", "text"],
    storeFields: ["title", "page"],
    searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  index.addAll(await response.json());
  return index;
}

async function find() {
  const words = field.value.trim();
  search ??= sections();
  const found = words.length > 1 ? (await search).search(words).slice(0, MOST) : [];
  list.replaceChildren(
    ...found.map(({ id, title, page }) => {
      const link = document.createElement("a");
      link.href = id;
      link.append(title, Object.assign(document.createElement("small"), { textContent: page }));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  if (words.length > 1 && found.length === 0) list.textContent = "Nothing found";
}

field.addEventListener("input", () => void find());
