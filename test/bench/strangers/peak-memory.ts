import { createConnection } from 'node:net';
import { publishAnew } from '../../support/publish-anew.ts';
import { TAG } from '../with-readers.ts';
import { Standalone } from './standalone.ts';

const SOCKETS = 40;
const SENT = Buffer.alloc(16 * 1024 * 1024);

/** A CONNECT and a PUBLISH of a little less than 16 MiB, as far as their length. */
const BEGINNINGS = [0x10, 0x30].map((type) => Buffer.from([type, 0xff, 0xff, 0xff, 0x07]));

/** Peak memory of a process just started, before and after sockets that have not signed in send that much at once; MiB. */
export async function peakMemory(databaseUrl: string): Promise<{ before: number; after: number }> {
  const program = await Standalone.start(databaseUrl);
  await publishAnew(program.mqttPort, TAG);
  const before = program.peak();
  await Promise.all(Array.from({ length: SOCKETS }, (_, number) => send(program.mqttPort, number)));
  await publishAnew(program.mqttPort, TAG);
  const after = program.peak();
  await program.stop();
  return { before, after };
}

/** Until all was taken, or the socket is closed. */
function send(port: number, number: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1').on('error', () => {});
    socket.once('close', () => resolve());
    socket.resume().write(BEGINNINGS[number % BEGINNINGS.length] ?? '');
    socket.write(SENT, () => socket.destroy());
  });
}
