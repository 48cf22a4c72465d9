// Says in our own words why an exchange broke; nothing of the failed request's own error is passed on.
import { type EnergyError, type ErrorText, errorText, NetworkError, ResponseError } from "../../errors";

/** Beginnings of error codes, and what they mean to a person. */
const MEANINGS = [
  [/^ECONNREFUSED/, "refusedConnection"],
  [/^(ENOTFOUND|EAI_)/, "unknownHost"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_BAD_RESPONSE|ERR_STREAM)/, "connectionBroke"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/, "unreachable"],
  [/CERT|^UNABLE_TO_|SIGNED/, "certificate"],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, "tlsFailed"],
  [/^HPE_/, "notHttp"],
] as const;

/** @param routeName where the request went */
export function connectionFailure(error: unknown, routeName: string, limitBytes: number): EnergyError {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: "" };
  if (message.startsWith("maxContentLength")) {
    return new ResponseError(errorText("answerTooLarge", { mebibytes: limitBytes / 2 ** 20 }));
  }
  if (code?.startsWith("Z_") === true) return new ResponseError(errorText("answerNotUnpacked"));
  return new NetworkError("noConnection", { route: routeName, reason: reasonOf(code ?? "", message) });
}

function reasonOf(code: string, message: string): ErrorText {
  const proxyStatus = /^Bad response: (\d{3})$/.exec(message)?.[1];
  if (proxyStatus === "407") return errorText("proxyCredentials");
  if (proxyStatus !== undefined) return errorText("proxyRefused", { status: proxyStatus });
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) return errorText("failedConnection");
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1];
  return errorText(meaning ?? "failedConnectionCode", { code });
}
