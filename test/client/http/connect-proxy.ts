// A proxy on loopback that tunnels by CONNECT, with a log of what it was asked.
import http from "node:http";
import net, { type AddressInfo } from "node:net";

export interface Proxy {
  url: string;
  port: number;
  /** The CONNECT requests: where to, and the Proxy-Authorization header. */
  tunnels: { target: string; authorization: string | undefined }[];
  /** Sockets to clients that are still open. */
  open: Set<object>;
  close(): Promise<void>;
}

/** @param answer how it answers CONNECT: by a tunnel, with a status, or never */
export async function startProxy(answer: "tunnel" | "never" | number = "tunnel"): Promise<Proxy> {
  const tunnels: Proxy["tunnels"] = [];
  const open = new Set<net.Socket>();
  const server = http.createServer((_request, response) => void response.writeHead(501).end());
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  server.on("connect", (request, socket) => {
    tunnels.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    if (answer === "never") {
      socket.on("end", () => socket.destroy()).resume();
      return;
    }
    if (typeof answer === "number") {
      socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const target = net.connect(Number(port), host === "localhost" ? "127.0.0.1" : host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(target).pipe(socket);
    });
    target.on("error", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    tunnels,
    open,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of open) socket.destroy();
      }),
  };
}
