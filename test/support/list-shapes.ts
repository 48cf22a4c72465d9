// Other shapes in which the service may send the same lists: envelopes, pages and fields that the package does not know.
import type { StrictOptions } from "./demo-service";

type Shape = NonNullable<StrictOptions["shape"]>;
type Envelope = (items: unknown[], url: URL) => unknown;

const PER_PAGE = 2;

/** A shape that puts the list of a response into an envelope; everything else is unchanged. */
function shaped(envelope: Envelope): Shape {
  return (body, url) => {
    const list = typeof body === "object" && body !== null && "data" in body ? body.data : undefined;
    return Array.isArray(list) ? envelope(list, url) : body;
  };
}

/** A shape with two items on a page. Pages are numbered from 1 on, and each is described. */
function paged(
  parameter: string,
  describe: (page: number, isLast: boolean, url: URL, total: number) => object,
): Shape {
  return shaped((items, url) => {
    const page = Number(url.searchParams.get(parameter) ?? 1);
    const isLast = page * PER_PAGE >= items.length;
    return {
      data: items.slice((page - 1) * PER_PAGE, page * PER_PAGE),
      ...describe(page, isLast, url, items.length),
    };
  });
}

function urlOf(url: URL, page: number): string {
  const next = new URL(url);
  next.searchParams.set("page", String(page));
  return `${next.pathname}${next.search}`;
}

/** What every service may add. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withUnknownFields(inner)] as const);
  return { ...Object.fromEntries(fields), addedLater: { deep: [null, 1] } };
}

/** By what they are. Records are in `data` in all of them (service interface 4.4). */
export const LIST_SHAPES: Readonly<Record<string, Shape>> = {
  "unknown fields": (body) => withUnknownFields(body),
  "an envelope that says that it is complete": shaped((data) => ({
    data,
    errors: [],
    warnings: null,
    meta: { total: data.length, hasMore: false },
  })),
  "Laravel's pages": paged("page", (page, isLast, url, total) => ({
    links: { prev: null, next: isLast ? null : urlOf(url, page + 1) },
    meta: {
      current_page: page,
      last_page: Math.max(1, Math.ceil(total / PER_PAGE)),
      per_page: PER_PAGE,
      total,
    },
  })),
  "numbered pages without links": paged("page", (page, _isLast, _url, total) => ({
    meta: { current_page: page, last_page: Math.max(1, Math.ceil(total / PER_PAGE)) },
  })),
  "Spring's slices": paged("page", (page, isLast) => ({ number: page, size: PER_PAGE, last: isLast })),
  cursors: paged("cursor", (page, isLast) => ({
    meta: { pagination: { nextCursor: isLast ? null : String(page + 1) } },
  })),
  "OData's links": paged("page", (page, isLast, url, total) => ({
    "@odata.count": total,
    ...(!isLast && { "@odata.nextLink": urlOf(url, page + 1) }),
  })),
};

/** An envelope that only sites and alerts may have. */
function named(envelope: (items: unknown[], name: string) => unknown): Shape {
  return shaped((items, { pathname }) => {
    const name = pathname.split("/").at(-1) ?? "";
    return name === "sites" || name === "alerts" ? envelope(items, name) : { data: items };
  });
}

export const ENVELOPES: Readonly<Record<string, Shape>> = {
  "no envelope": named((items) => items),
  "a named list": named((items, name) => ({ [name]: items, count: items.length })),
  "nested objects": named((items) => ({ result: { data: { items } }, status: "ok" })),
};
