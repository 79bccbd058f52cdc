import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** `127.0.0.1:port`. */
  address: string;
  /** Addresses (IPv4) that a name has now; asked once for each look-up. */
  answer: (name: string) => readonly string[];
  /** Questions for IPv4 addresses. */
  questions: string[];
  close(): Promise<void>;
}

/** A name server that changes its mind as it is told to. Of IPv6 it knows nothing. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    answer: () => [],
    questions: [],
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (question, from) => {
    const { name, end, type } = readQuestion(question);
    const isV4 = type === 1;
    if (isV4) {
      server.questions.push(name);
    }
    socket.send(
      answerTo(question.subarray(0, end), isV4 ? server.answer(name) : []),
      from.port,
      from.address,
    );
  });
  return server;
}

function readQuestion(message: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length !== 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: message.readUInt16BE(at + 1) };
}

function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  // A response, recursion available, no error, no further sections.
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    // The name of the question, A, IN, kept for no time, four bytes.
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
