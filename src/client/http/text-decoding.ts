// Undoes the encodings in which a service may repeat text, in time that grows only with its length.

/** Nested encodings of one kind are undone at once, so more rounds than this are no honest text. */
const MAX_ROUNDS = 8;

/** Names with their characters: punctuation, and the letters of western Europe. */
const NAMED = `amp & lt < gt > quot " apos ' dollar $ percnt % plus + equals = sol / bsol \\ lpar ( rpar ) lbrace { rbrace }
  lcub { rcub } lsqb [ rsqb ] num # excl ! commat @ semi ; colon : comma , period . lowbar _ Hat ^ ast * quest ? grave \`
  vert | auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è aacute á agrave à ccedil ç ntilde ñ oslash ø
  aring å euro € pound £ sect § copy ©`;

const ENTITIES = new Map(
  Array.from(NAMED.matchAll(/(\w+) (\S)/gu), ([, name = "", character = ""]) => [name, character]),
);

/**
 * The text, and what it becomes as its percent-encoding, HTML entities and backslash escapes are undone, the plain text last.
 * Undefined if it is encoded too deeply.
 */
export function decodingStages(text: string): string[] | undefined {
  const stages = [text];
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = decodedOnce(current);
    if (next === current) return stages;
    stages.push(next);
    current = next;
  }
  return undefined;
}

function decodedOnce(text: string): string {
  return withoutEscapes(withoutEntities(withoutPercent(text)));
}

function withoutPercent(text: string): string {
  return text
    .replaceAll(/%(?:25)+(?=[0-9a-f]{2}|u[0-9a-f]{4})/gi, "%")
    .replaceAll(/%u([0-9a-f]{4})/gi, (_all, hex: string) => characterOf(hex))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => textOf(Buffer.from(bytes.replaceAll("%", ""), "hex")));
}

function withoutEntities(text: string): string {
  return text
    .replaceAll(/&(?:amp;)+/gi, "&")
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (all, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    })
    .replaceAll(/&(\w{2,8});/g, (all, name: string) => ENTITIES.get(name) ?? all);
}

/** As in JSON and in source code, however often the backslash was escaped itself. */
function withoutEscapes(text: string): string {
  const escape = /\\+(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([bfnrtv])(?![a-z]))?/gi;
  return text.replaceAll(escape, (_all, point?: string, unit?: string, byte?: string, control?: string) => {
    if (point !== undefined) {
      const code = Number.parseInt(point, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
    }
    const hex = unit ?? byte;
    if (hex !== undefined) return characterOf(hex);
    return control === undefined ? "" : " ";
  });
}

function characterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** UTF-8; other bytes are taken for Latin-1. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
