// Competitor (a), in its own process: a loop of axios requests that only counts the records.
import axios from "axios";
import { type Sample, spanUrl, startWatch, type Work } from "./work";

async function loop({ baseUrl, token, spans, inFlight }: Work): Promise<Sample> {
  const stop = startWatch();
  const headers = { Authorization: `Bearer ${token}` };
  const next = spans.values();
  let count = 0;
  const readOn = async (): Promise<void> => {
    for (const span of next) {
      const { data } = await axios.get<{ data: object[] }>(spanUrl(baseUrl, span), { headers });
      for (const record of data.data) if ("startTime" in record) count += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, readOn));
  return stop(count);
}

process.on("message", (work: Work) => {
  void loop(work).then((sample) => process.send?.(sample));
});
