// Explains why an exchange failed, passing on nothing of the underlying error but its code.
import { type ErrorKey, errorText, NetworkError, type TextValue } from "../../errors";

/** Patterns of error codes, and the texts that explain them. */
const MEANINGS = [
  [/^ECONNREFUSED/, "refusedConnection"],
  [/^(ENOTFOUND|EAI_)/, "unknownHost"],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM|UND_ERR_(SOCKET|ABORT|INFO|CLOSED|DESTROYED|RES_CONTENT))/,
    "connectionBroke",
  ],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)/, "unreachable"],
  [/ALTNAME/, "certificateName"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/, "certificateTime"],
  [/^DEPTH_ZERO_SELF_SIGNED/, "certificateSelfSigned"],
  [/CERT|^UNABLE_TO_|SIGNED/, "certificate"],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, "tlsFailed"],
  [/^UND_ERR_HEADERS_OVERFLOW/, "headersTooLarge"],
  [/^(HPE_|HTTP_PARSER)/, "notHttp"],
  [/^PROXY_407/, "proxyCredentials"],
  [/^PROXY_/, "proxyRefused"],
] as const satisfies readonly (readonly [RegExp, ErrorKey])[];

/** The proxy refused to open a tunnel. */
export function proxyRefusal(status: number): Error {
  return Object.assign(new Error(`CONNECT: ${status}`), { code: `PROXY_${status}` });
}

/** @param route where the request went */
export function connectionFailure(error: unknown, route: TextValue): NetworkError {
  const code = codeOf(error);
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1] ?? "failedConnection";
  return new NetworkError("noConnection", { route, reason: errorText(meaning), code });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // Errors of undici's parser have no code.
  const { code = error.name === "HTTPParserError" ? "HTTP_PARSER" : "" } = error as NodeJS.ErrnoException;
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : "UNKNOWN";
}
