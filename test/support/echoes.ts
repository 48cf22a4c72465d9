// A service that repeats a secret in its refusals, and in answers that cannot be read.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./service";

/** Where the secret is repeated. */
export const PLACES: Record<string, (echo: string, response: ServerResponse) => void> = {
  message: (echo, response) => refuse(response, 404, JSON.stringify({ message: `not known: ${echo}` })),
  "a nested message": (echo, response) =>
    refuse(response, 401, JSON.stringify({ error: { code: echo, message: echo }, [echo]: echo })),
  "a list of errors": (echo, response) =>
    refuse(response, 403, JSON.stringify({ errors: [{ detail: JSON.stringify({ header: echo }) }] })),
  "plain text": (echo, response) => refuse(response, 400, `Refused: ${echo}`),
  "the end of a long text": (echo, response) => refuse(response, 404, `${"too long ".repeat(32)}${echo}`),
  headers: (echo, response) => {
    const value = inHeader(echo);
    const headers = { "www-authenticate": value, location: `/${value}`, link: `<${value}>; rel="next"` };
    response.writeHead(400, inHeader(echo), { ...headers, "content-type": value, "x-echo": value }).end(echo);
  },
  "malformed JSON": (echo, response) => void response.writeHead(200).end(`{"data": [{"${echo}": "${echo}`),
  "a record without times": (echo, response) =>
    void response.writeHead(200).end(JSON.stringify({ data: [echo, { startTime: echo, endTime: echo }] })),
};

/** Repeats it in answers to all requests for which there is no newer fault. */
export function echoing(place: string, echo: string, path: RegExp): Fault {
  const respond = (_request: IncomingMessage, response: ServerResponse): void =>
    PLACES[place]?.(echo, response);
  return { path, times: Infinity, respond };
}

function refuse(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

/** Node.js reads up to 16 KiB of headers. */
function inHeader(text: string): string {
  const value = /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
  return value.slice(0, 2000);
}
