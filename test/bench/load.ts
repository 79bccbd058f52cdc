import autocannon from 'autocannon';
import { quantile } from '../support/statistics.ts';

/** What to send, to whom. The requests are sent in turn, again and again. */
export interface Load {
  url: string;
  connections: number;
  seconds: number;
  requests: readonly { path: string; key?: string }[];
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
}

/** The load generator, in a process of its own: gets a {@link Load}, says what it {@link Measured}. */
process.once('message', async (load: Load) => {
  const times: number[] = [];
  const run = autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    requests: load.requests.map(({ path, key }) => ({
      method: 'GET',
      path,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    })),
  });
  run.on('response', (_client, _status, _bytes, responseTime) => times.push(responseTime));
  const { duration, errors, timeouts, non2xx } = await run;
  if (errors + timeouts + non2xx > 0) {
    throw new Error(`${errors} errors, ${timeouts} time-outs, ${non2xx} answers that are no success`);
  }
  times.sort((a, b) => a - b);
  process.send?.({
    perSecond: times.length / duration,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  });
  process.disconnect();
});
