// Competitor (a), in its own process: a loop of axios requests that only counts the records.
import axios from "axios";
import { dayUrl, startWatch, type Sample, type Work } from "./work";

async function loop({ baseUrl, token, days }: Work): Promise<Sample> {
  const stop = startWatch();
  const headers = { Authorization: `Bearer ${token}` };
  let count = 0;
  for (const day of days) {
    const { data } = await axios.get<{ data: object[] }>(dayUrl(baseUrl, day), { headers });
    for (const record of data.data) if ("startTime" in record) count += 1;
  }
  return stop(count);
}

process.on("message", (work: Work) => {
  void loop(work).then((sample) => process.send?.(sample));
});
