// The package version, as sent to the service; a test compares it with package.json.
export const VERSION = "0.1.0";
