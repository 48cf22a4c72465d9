// Finds the next page of a list. The service does not document paging, so all common schemes are supported.
import { errorText, ResponseError } from "../errors";
import { MAX_URL_LENGTH } from "../limits";
import { holdersIn, isNothing, pathOf, plainName } from "../models/envelope";
import { isServiceObject, objectOf } from "../models/service-object";
import type { Page } from "./http/response";

/** What is known once a page has been read. */
interface Position {
  readonly current: string;
  readonly baseUrl: string;
  /** Pages read, with this one. */
  readonly pages: number;
  /** Items of all of them. */
  readonly items: number;
  /** Items of this page. */
  readonly onPage: number;
  readonly total: NextPage["total"];
}

export interface NextPage {
  /** As sent; undefined if it is not known. */
  readonly url: string | undefined;
  /** The field that says that there is one; undefined if there is none, or only one that may refer to this page. */
  readonly claim: string | undefined;
  /** Whether a number or a flag says so. */
  readonly isCounted?: boolean;
  /** What this page says that there is in all, or the pages before. */
  readonly total?: Field | undefined;
}

/** A field of an envelope. */
interface Field {
  readonly plain: string;
  /** As spelled. */
  readonly name: string;
  readonly path: string;
  readonly value: string | number | boolean;
  /** A whole number; of a flag, 1 or 0. */
  readonly number: number | undefined;
}

/** The names below are plain names. */
const LINK = /^(?:odata)?next(?:page|records|results)?(?:link|url|uri|href)$|^next$/;
/** Tokens and numbers of the next page. */
const NEXT =
  /^(?:next(?:token|cursor|marker|offset|skip|start|page(?:token|cursor|number)?|continuationtoken)|endcursor|continuationtoken|continue|lastevaluatedkey)$/;
/** These refer to the next page, or to this one. */
const PERHAPS_NEXT = /^(?:cursor|marker|after|continuation|pagetoken|resumetoken|scrollid|bookmark)$/;
/** The query parameters that are not named as their field is. */
const PARAMETERS: Readonly<Partial<Record<string, string>>> = {
  nextcursor: "cursor",
  nextpagecursor: "cursor",
  endcursor: "cursor",
  lastevaluatedkey: "exclusiveStartKey",
  nextpagenumber: "page",
  currentpage: "page",
  number: "page",
};
/** What else refers to the next page, in a way that is not known; but not when something will be done. */
const REFERENCE =
  /^(?:more$|lastevaluatedkey|next(?!update|refresh|poll|run|check|sync|read|report|retry|reset|maintenance|expected|due|available|time|date|at|attempt|event|schedule))/;

const ITEMS = "data|(?:item|element|result|record|row|entrie|object|site|alert)s?";
const PAGES = namesWith(
  "pages|pagecount|pagetotal|lastpage|maxpage",
  "total|count|num|number|of|all|last|max",
);
const TOTAL = namesWith(
  `total|count|found|hits|matche[sd]|filtered|(?:num|nb|numberof)(?:${ITEMS})`,
  "size|num|number|of|all|full|overall|grand|available|estimated|odata|x",
);
const MORE = namesWith(
  "more|has(?:next|additional|following)|truncated|incomplete|partial",
  "has|have|is|are|there|pages?|available|exists?|to|load|response|list",
);
const LEFT = namesWith("remaining|remainder|left", "pages?|count|is|are|number|of");
const LAST = namesWith(
  "last|final|completed?|done|finished|exhausted|end|eof|loaded",
  "is|are|all|page|of|list",
);
/** References whose names can be shown: any other may be an echoed secret. */
const SHOWN = namesWith(
  "next|more|lastevaluatedkey",
  "page|batch|set|part|cursor|token|key|id|index|link|start",
);

const TOO_LONG = errorText("pageUrlTooLong", { characters: MAX_URL_LENGTH });
const LIMITS = ["limit", "pagesize", "perpage", "maxresults", "size"];
const PAGE_NUMBERS = ["page", "pagenumber", "pageindex", "currentpage", "number"];
const OFFSETS = ["offset", "skip", "start", "startat", "startindex"];

/** Names made of certain words only, as they are combined in many ways: `has_more`, `thereAreMoreItems`. */
function namesWith(sign: string, others: string): RegExp {
  return new RegExp(`^(?=.*(?:${sign}))(?:${sign}|${others}|${ITEMS})+$`);
}

/** @throws ResponseError if the next page is outside the base URL, or its URL is too long */
export function nextPage({ body, link }: Page, position: Position): NextPage {
  const fields = fieldsOf(body);
  const total = fields.find(({ plain }) => TOTAL.test(plain)) ?? position.total;
  const flag = fields.find(isFlagOfMore);
  const counts = total ? [...fields, total] : fields;
  const count = counts.find((field) => isCountOfMore(field, position)) ?? flag;
  // After the last page, a cursor is where a later list begins.
  const isOver = !flag && fields.some(({ plain, number }) => MORE.test(plain) && number === 0);
  const current = isOver ? [] : fields;
  const named = linkedPage(link, position) ?? namedPage(current, NEXT, position);
  const perhaps = named ?? namedPage(current, PERHAPS_NEXT, position);
  if (!count) return { total, ...(named ?? { url: perhaps?.url, claim: unknownNext(current) }) };
  const known = named ?? (flag && perhaps);
  const url = known?.url ?? countedPage(fields, position, count) ?? perhaps?.url;
  return { url, claim: count.path, isCounted: true, total };
}

function isFlagOfMore({ plain, number, value }: Field): boolean {
  if (LAST.test(plain)) return number === 0 && typeof value !== "number";
  return number !== undefined && number > 0 && (MORE.test(plain) || LEFT.test(plain));
}

/** The first page may have number 0 or 1. */
function isCountOfMore({ plain, number = 0, value }: Field, { pages, items }: Position): boolean {
  if (typeof value === "boolean") return false;
  return (PAGES.test(plain) && number > pages) || (TOTAL.test(plain) && number > items);
}

/** Of fields with the same plain name, the outermost. */
function fieldsOf(body: unknown): Field[] {
  const fields = new Map<string, Field>();
  const add = (plain: string, path: string, name: string, content: unknown): void => {
    const value = scalarIn(content, plain);
    if (plain !== "" && value !== undefined && !fields.has(plain))
      fields.set(plain, { plain, name, path: pathOf(path, name), value, number: numberOf(value) });
  };
  for (const { fields: own, path } of holdersIn(body))
    for (const [name, content] of own) {
      const plain = plainName(name);
      const isNext = plain === "next";
      add(isNext && /cursors?$/i.test(path) ? "nextcursor" : plain, path, name, content);
      // `next: {cursor}` is a next cursor, and so is `cursors: {next}`.
      if (isNext && isServiceObject(content))
        for (const [inner, one] of Object.entries(content))
          add(plain + plainName(inner), pathOf(path, name), inner, one);
    }
  // Beside a total, it is the number of items on a page.
  const count = fields.get("count");
  if (count && [...fields.keys()].some((name) => name !== "count" && TOTAL.test(name))) {
    fields.delete("count");
    if (!fields.has("limit")) fields.set("limit", { ...count, plain: "limit" });
  }
  return [...fields.values()];
}

/** A link may be an object with its URL, and a total one with its value. */
function scalarIn(content: unknown, plain: string): Field["value"] | undefined {
  if (typeof content === "number" || typeof content === "boolean") return content;
  if (typeof content === "string") return content === "" ? undefined : content;
  if (Array.isArray(content) && content.length === 1 && LINK.test(plain)) return scalarIn(content[0], plain);
  const object = objectOf(content);
  const inner = ["href", "url", "uri", "link", "value", "count"].map((name) => object[name]);
  const value = inner.find((one) => typeof one === "string" || typeof one === "number");
  return value ?? (REFERENCE.test(plain) && !isNothing(content) ? true : undefined);
}

function numberOf(value: Field["value"]): number | undefined {
  if (typeof value !== "string") return Number.isInteger(+value) ? +value : undefined;
  if (/^\d{1,15}$/.test(value)) return +value;
  if (/^(?:true|yes)$/i.test(value)) return 1;
  return /^(?:false|no)$/i.test(value) ? 0 : undefined;
}

/** RFC 8288: `<URL>; rel="next"`, among other links. */
function linkedPage(header: string, position: Position): NextPage | undefined {
  if (header === "") return undefined;
  for (const [, url, parameters = ""] of header.matchAll(
    /<([^<>]*)>((?:\s*;\s*[\w*]+=(?:"[^"]*"|[^\s;,"]+))*)/g,
  )) {
    const relations = /;\s*rel=(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const names = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return { url: resolveNext(url ?? "", position), claim: "Link" };
  }
  return undefined;
}

/** The next page, if a field has its URL, number or token. */
function namedPage(fields: readonly Field[], names: RegExp, position: Position): NextPage | undefined {
  for (const { plain, name, path, value } of fields) {
    const isNamed = names.test(plain);
    const isLink = names === NEXT && LINK.test(plain);
    const isNumber = typeof value === "number" && value > 0;
    if ((!isNamed && !isLink) || (typeof value !== "string" && !isNumber)) continue;
    const text = String(value);
    if (text.length > MAX_URL_LENGTH) throw new ResponseError(TOO_LONG);
    // A token may be any text; in base64 it may begin with a slash.
    const isPath = (isLink || plain === "nextpage") && (/^[/?]/.test(text) || (isLink && text.includes("?")));
    const isUrl = isPath || /^https?:/i.test(text);
    const parameter = isNamed ? parameterOf(plain, name) : isNumber ? "page" : "next";
    const url = isUrl ? resolveNext(text, position) : withParameter(position, parameter, text);
    return { url, claim: path };
  }
  return undefined;
}

/** A parameter is spelled as the field is: `next_page_token` requests `page_token`. */
function parameterOf(plain: string, name: string): string {
  const own = plain === "nexttoken" ? name : name.replace(/^_*next[_-]?/i, "");
  return PARAMETERS[plain] ?? own.charAt(0).toLowerCase() + own.slice(1);
}

function unknownNext(fields: readonly Field[]): string | undefined {
  const reference = fields.find(
    ({ plain, value, number = 0 }) => REFERENCE.test(plain) && (typeof value === "string" || number > 0),
  );
  return reference && (SHOWN.test(reference.plain) ? reference.path : "next***");
}

/** The next page, if pages or items are numbered. */
function countedPage(fields: readonly Field[], position: Position, claim: Field): string | undefined {
  const { onPage } = position;
  const page = numberIn(fields, PAGE_NUMBERS);
  // Beyond its last page, a service may count on.
  if (page && (onPage > 0 || PAGES.test(claim.plain)))
    return withParameter(position, PARAMETERS[page.plain] ?? page.name, page.number + 1);
  const offset = numberIn(fields, OFFSETS);
  const step = numberIn(fields, LIMITS)?.number ?? onPage;
  return offset && onPage > 0 && step > 0
    ? withParameter(position, offset.name, offset.number + step)
    : undefined;
}

function numberIn(fields: readonly Field[], names: readonly string[]) {
  const isNumber = (field: Field | undefined): field is Field & { readonly number: number } =>
    field?.number !== undefined && typeof field.value !== "boolean";
  return names.map((name) => fields.find(({ plain }) => plain === name)).find(isNumber);
}

function withParameter({ current }: Position, name: string, value: string | number): string {
  const next = new URL(current);
  next.searchParams.set(name, String(value));
  return pageUrl(next);
}

/** Resolves the URL and keeps the current query. Throws ResponseError outside the base URL, where no token may be sent. */
function resolveNext(url: string, { current, baseUrl }: Position): string {
  const next = URL.canParse(url, current) ? new URL(url, current) : undefined;
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/`;
  // Its user name and password would be sent in place of the token.
  const isInside =
    next?.origin === base.origin && next.pathname.startsWith(folder) && !next.username && !next.password;
  if (!isInside) throw new ResponseError(errorText("pageOutside"));
  for (const [name, value] of new URL(current).searchParams)
    if (!next.searchParams.has(name)) next.searchParams.set(name, value);
  return pageUrl(next);
}

function pageUrl(next: URL): string {
  next.hash = "";
  // As in every URL that is sent: `+` is a space in form data only.
  next.search = next.search.replaceAll("+", "%20");
  if (next.href.length > MAX_URL_LENGTH) throw new ResponseError(TOO_LONG);
  return next.href;
}
