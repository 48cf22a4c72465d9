// The version of the package, as it tells the service; a test holds it against package.json.
export const VERSION = "0.1.0";
