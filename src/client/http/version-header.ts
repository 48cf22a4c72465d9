// The header that opts a request in to PC1 sites (service interface 9).
import { PREVIEW_VERSION, type ConnectionSettings } from "../connection";

/** @param needsPc1 the request needs PC1 behaviour, whatever the account chose */
export function versionHeaders(settings: ConnectionSettings, needsPc1: boolean): Record<string, string> {
  const version = settings.apiVersion === "" && needsPc1 ? PREVIEW_VERSION : settings.apiVersion;
  return version === "" ? {} : { [settings.versionHeader]: version };
}
