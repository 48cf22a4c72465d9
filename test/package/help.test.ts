// Tests for what each help text leads to: one example message, an example flow that exists, and the error codes.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, setNames } from "../support/package";
import { catalogue, help, LANGUAGES } from "./editor-set";

const LINK = /<a\s+href="#"\s+data-energy-example="([^"]*)"\s*>([^<]*)<\/a\s*>/g;
const PROJECT = "https://github.com/energy-sites/node-red";
const ERROR_CODES = `${PROJECT}/blob/main/docs/messages.md#errors`;

interface Message {
  /** The account's example is that of an error, which has no kind. */
  energy: { kind?: string };
}

function exampleMessages(text: string): unknown[] {
  return [...text.matchAll(/<pre>(.*?)<\/pre>/gs)].map((match) => JSON.parse(match[1] ?? "") as unknown);
}

for (const language of LANGUAGES) {
  describe(`help in ${language}`, () => {
    const labels = setNames.flatMap((name) => [...catalogue(name, language).values()]);

    for (const name of setNames) {
      const text = help(name, language);

      it(`names in ${name} fields, choices and buttons as the dialogs do`, () => {
        const names = [...text.matchAll(/<i\s*>(.*?)<\/i\s*>/gs)].map(([, words = ""]) =>
          words.replaceAll(/[ \n]+/g, " "),
        );
        // A long label may be named by its beginning.
        assert.deepEqual(
          names.filter((words) => !labels.some((label) => label.startsWith(words))),
          [],
        );
      });

      it(`shows one message of ${name}`, () => {
        assert.equal(exampleMessages(text).length, 1);
      });

      it(`names in ${name} the examples to import, all of which exist`, () => {
        const links = [...text.matchAll(LINK)];
        assert.equal(links.length, text.split("data-energy-example").length - 1, "links of another form");
        assert.notEqual(links.length, 0);
        for (const [, example = "", label] of links) {
          // The import dialog lists the examples by these names.
          assert.equal(label, example);
          assert.ok(existsSync(join(ROOT, "examples", `${example}.json`)), example);
        }
      });

      it(`leads from ${name} to the error codes`, () => {
        assert.ok(text.includes(`href="${ERROR_CODES}"`));
      });
    }
  });
}

describe("help in every language", () => {
  it("links to pages and headings that exist", () => {
    const links = new Set(
      setNames.flatMap((name) => help(name, "en-US").match(new RegExp(`${PROJECT}[^"]*`, "g")) ?? []),
    );
    for (const link of links) {
      const [address = "", heading] = link.replace(PROJECT, "").split("#");
      if (address === "/issues") continue;
      const page = address === "" ? "README.md" : address.replace("/blob/main/", "");
      const text = readFileSync(join(ROOT, page), "utf8");
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
        title.toLowerCase().replaceAll(" ", "-"),
      );
      assert.ok(heading === undefined || headings.includes(heading), link);
    }
    assert.notEqual(links.size, 0);
  });

  for (const name of setNames) {
    it(`shows the same message of ${name}, except for an error's text, and the same links`, () => {
      const shown = (language: string): unknown => {
        const text = help(name, language);
        const message = exampleMessages(text)[0] as { error?: { message?: string } };
        if (message.error) delete message.error.message;
        return { message, links: [...text.matchAll(/href="([^"]*)"/g)].map((match) => match[1]) };
      };
      for (const language of LANGUAGES) assert.deepEqual(shown(language), shown("en-US"));
    });
  }
});

describe("the page of messages and errors", () => {
  const page = readFileSync(join(ROOT, "docs", "messages.md"), "utf8");

  it("shows the messages of the help", () => {
    const shown = [...page.matchAll(/```json\n(.*?)```/gs)].map(
      (match) => JSON.parse(match[1] ?? "") as unknown,
    );
    const messages = setNames.flatMap((name) => exampleMessages(help(name, "en-US")) as Message[]);
    assert.deepEqual(new Set(shown), new Set(messages.filter(({ energy }) => energy.kind !== undefined)));
  });

  const statuses = [...catalogue("account", "en-US").keys()];
  for (const key of statuses.filter((one) => one.startsWith("status.error.ENERGY_"))) {
    const code = key.replace("status.error.", "");
    it(`says what to do about ${code}`, () => {
      assert.match(page, new RegExp(`^\\| \`${code}\` +\\|[^|]+\\|[^|]*\\w[^|]*\\|$`, "m"));
    });
  }
});
