import { type Packet, parser } from 'mqtt-packet';

/** The user name of a CONNECT; undefined if it has none, or is not to be read. */
export function userNameOf(connect: Buffer): string | undefined {
  let name: string | undefined;
  const reading = parser();
  reading.on('packet', (packet: Packet) => {
    name = packet.cmd === 'connect' ? packet.username : undefined;
  });
  // The broker that gets it says what is wrong with it.
  reading.on('error', () => {});
  reading.parse(connect);
  return name;
}
