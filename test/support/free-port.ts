import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 for a server that may be stopped and started again: nothing listens on it, and it is below
 * those that systems give to connections (Linux from 32768, others from 49152), so none takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await canListen(port)) {
      return port;
    }
  }
}

const LOWEST = 12_000;
const HIGHEST = 32_000;

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
