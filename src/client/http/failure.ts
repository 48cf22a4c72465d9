// Explains why an exchange failed, passing on nothing of the underlying error but its code.
import { type ErrorText, errorText, NetworkError, type TextValue } from "../../errors";

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
] as const;

/** The proxy refused to open a tunnel. */
export class ProxyRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`CONNECT: ${status}`);
    this.status = status;
  }
}

/** @param routeName where the request went */
export function connectionFailure(error: unknown, routeName: TextValue): NetworkError {
  return new NetworkError("noConnection", { route: routeName, reason: reasonOf(error) });
}

function reasonOf(error: unknown): ErrorText {
  if (!(error instanceof Error)) return errorText("failedConnection");
  if (error instanceof ProxyRefusal) {
    const { status } = error;
    return status === 407 ? errorText("proxyCredentials") : errorText("proxyRefused", { status });
  }
  // Errors of undici's parser have no code.
  const { code = error.name === "HTTPParserError" ? "HTTP_PARSER" : "" } = error as NodeJS.ErrnoException;
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) return errorText("failedConnection");
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1];
  return errorText(meaning ?? "failedConnectionCode", { code });
}
