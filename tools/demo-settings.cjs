// Node-RED settings of the demo: those of the user, plus a login and a check of the Host header.
const { createHash, timingSafeEqual } = require("node:crypto");
const { existsSync } = require("node:fs");

const {
  ENERGY_DEMO_SETTINGS: settingsFile,
  ENERGY_DEMO_USER: username,
  ENERGY_DEMO_PASSWORD: password,
} = process.env;
if (!username || !password) throw new Error("These settings are only for npm start.");

const LOOPBACK_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);
const user = { username, permissions: "*" };

/** A page whose own host name was made to resolve to this machine (DNS rebinding) still sends that name. */
function isLoopback(host = "") {
  return LOOPBACK_NAMES.has(host.replace(/:\d+$/, "").toLowerCase());
}

const digest = (text) => createHash("sha256").update(text).digest();
const isPassword = (text) => timingSafeEqual(digest(String(text)), digest(password));

const own = settingsFile && existsSync(settingsFile) ? require(settingsFile) : {};

module.exports = {
  ...own,
  adminAuth: {
    type: "credentials",
    users: async (name) => (name === username ? user : null),
    authenticate: async (name, text) => (name === username && isPassword(text) ? user : null),
    // The printed link carries the password as its access token.
    tokens: async (token) => (isPassword(token) ? user : null),
  },
  // The editor is mounted at the root, so every request passes here, those for the dashboard and for http in nodes too.
  httpAdminMiddleware(request, response, next) {
    if (isLoopback(request.headers.host)) next();
    else response.status(403).send("Open the editor at the address that npm start printed.");
  },
  dashboard: {
    ...own.dashboard,
    // The dashboard's socket is answered before any middleware.
    ioMiddleware(socket, next) {
      next(isLoopback(socket.handshake.headers.host) ? undefined : new Error("Unknown host"));
    },
  },
};
