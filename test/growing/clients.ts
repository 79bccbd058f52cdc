/** Clients that write and read one after the other until they are told to end. */
export interface Clients {
  /** Every asset that was created, by its id: how it was last named. */
  written: Map<number, string>;
  answered: number;
  /** Requests that failed, and how. */
  failures: string[];
  end(): Promise<void>;
}

/**
 * @param url where the API is.
 * @param keyFor the key for a client's next request.
 */
export function startClients(url: string, count: number, keyFor: () => Promise<string>): Clients {
  let isOpen = true;
  const call = async (method: string, path: string, expected: number, json?: object) => {
    const headers = {
      Authorization: `Bearer ${await keyFor()}`,
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    };
    const body = json === undefined ? null : JSON.stringify(json);
    try {
      const answer = await fetch(url + path, { method, headers, body });
      const text = await answer.text();
      if (answer.status !== expected) {
        throw new Error(`${answer.status} ${text}`);
      }
      clients.answered += 1;
      return JSON.parse(text).data;
    } catch (error) {
      clients.failures.push(`${method} ${path}: ${error}`);
      return null;
    }
  };
  const work = async () => {
    while (isOpen) {
      const asset = await call('POST', '/api/v1/assets', 201, { name: 'new' });
      if (asset === null) {
        continue;
      }
      clients.written.set(asset.id, asset.name);
      for (const name of ['first', 'second']) {
        const patched = await call('PATCH', `/api/v1/assets/${asset.id}`, 200, { name });
        if (patched !== null) {
          clients.written.set(asset.id, name);
        }
        const read = await call('GET', `/api/v1/assets/${asset.id}`, 200);
        if (read !== null && read.name !== clients.written.get(asset.id)) {
          clients.failures.push(`asset ${asset.id} is named ${read.name}, not ${name}`);
        }
      }
      await call('GET', '/api/v1/assets?limit=5', 200);
    }
  };
  const working = Array.from({ length: count }, work);
  const clients: Clients = {
    written: new Map(),
    answered: 0,
    failures: [],
    end: async () => {
      isOpen = false;
      await Promise.all(working);
    },
  };
  return clients;
}
