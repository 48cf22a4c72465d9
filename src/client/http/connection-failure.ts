// Says in our own words why an exchange broke; nothing of the failed request's own error is passed on.
import { NetworkError, ResponseError, type EnergyError } from "../../errors";

/** Beginnings of error codes, and what they mean to a person. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, "nothing listens there: check the address"],
  [/^(ENOTFOUND|EAI_)/, "the host name is not known: check the address and the name server"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_BAD_RESPONSE|ERR_STREAM)/, "the connection broke"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/, "the network does not lead there"],
  [/CERT|^UNABLE_TO_|SIGNED/, "its certificate is not trusted: choose a TLS configuration with its CA"],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, "TLS could not be agreed on"],
  [/^HPE_/, "the answer is no HTTP"],
];

/** @param routeName where the request went */
export function connectionFailure(error: unknown, routeName: string, limitBytes: number): EnergyError {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: "" };
  if (message.startsWith("maxContentLength")) {
    return new ResponseError(`The answer is larger than ${limitBytes / 2 ** 20} MiB and was not read`);
  }
  if (code?.startsWith("Z_") === true) return new ResponseError("The compressed answer cannot be unpacked");
  return new NetworkError(`No connection to ${routeName}: ${reasonOf(code ?? "", message)}`);
}

function reasonOf(code: string, message: string): string {
  const proxyStatus = /^Bad response: (\d{3})$/.exec(message)?.[1];
  if (proxyStatus === "407") return "the proxy wants a user name and a password (407)";
  if (proxyStatus !== undefined) return `the proxy refused (${proxyStatus})`;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1];
  const shown = /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : "";
  return (meaning ?? "it failed") + shown;
}
