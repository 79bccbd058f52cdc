import { connected, connectReader } from './ingest.ts';

/** Signs in as `portal` on new connections, again where it is refused, until a read is acknowledged. @returns milliseconds. */
export async function publishAnew(port: number, tag: string): Promise<number> {
  const since = performance.now();
  for (;;) {
    const reader = connectReader(port, 'portal').on('error', () => {});
    try {
      await connected(reader);
      await reader.publishAsync('portal', JSON.stringify({ value: tag }), { qos: 1 });
      return performance.now() - since;
    } catch {
      // Refused, or cut off before the acknowledgement.
    } finally {
      reader.end(true);
    }
  }
}
