import type { Socket } from 'node:net';
import { generate } from 'mqtt-packet';

export type HostileKind =
  | 'say nothing'
  | 'dribble a CONNECT'
  | 'speak TLS'
  | 'speak HTTP'
  | 'have a wrong password'
  | 'have names nobody has';

/** What sockets send to a broker where there is a reader `portal`, instead of signing in. */
export const HOSTILE: Readonly<Record<HostileKind, (socket: Socket) => void>> = {
  'say nothing': () => {},
  'dribble a CONNECT': (socket) => socket.write(connectAs('portal').subarray(0, 20)),
  'speak TLS': (socket) => socket.write(Buffer.from('16030100a5010000a1', 'hex')),
  'speak HTTP': (socket) => socket.write('GET / HTTP/1.1\r\n\r\n'),
  'have a wrong password': (socket) => socket.write(connectAs('portal', 'wrong')),
  'have names nobody has': (socket) => socket.write(connectAs(`stranger-${names++}`)),
};

export const HOSTILE_KINDS = Object.keys(HOSTILE) as HostileKind[];

let names = 0;

export function connectAs(username: string, password = username, protocolVersion: 4 | 5 = 4): Buffer {
  return generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion,
    clean: true,
    clientId: 'x',
    keepalive: 0,
    username,
    password: Buffer.from(password),
  });
}
