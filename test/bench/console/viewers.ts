/** By the asset's name: when a viewer was told of its move, in milliseconds since 1970. */
export type Told = ReadonlyMap<string, number>;

/** As a browser's page does, without drawing it: reads the tree, then follows the events. */
export async function openViewer(url: string, token: string, signal: AbortSignal): Promise<Told> {
  const headers = { Cookie: `tagtrail_session=${token}` };
  const tree = await fetch(`${url}/console/v1/tree`, { headers, signal });
  await tree.arrayBuffer();
  const { body, status } = await fetch(`${url}/console/v1/events`, { headers, signal });
  if (body === null || status !== 200) {
    throw new Error(`events are answered with ${status}`);
  }
  const told = new Map<string, number>();
  void follow(body, told).catch(() => {});
  return told;
}

async function follow(body: ReadableStream<Uint8Array>, told: Map<string, number>): Promise<void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    const now = Date.now();
    for (const event of events) {
      const name = /"name":"(Pallet \d+)"/.exec(event)?.[1];
      if (name !== undefined) {
        told.set(name, now);
      }
    }
  }
}
