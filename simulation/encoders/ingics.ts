import { MICROS_PER_SECOND } from '../../base/instant.ts';
import { addressOf } from './address.ts';
import type { Encoder, TagRead } from './encoder.ts';

/** Ingics iGS01 to iGS03: a line per advertisement, every other message wrapped in JSON; epoch seconds. */
export const ingics: Encoder = {
  tagType: 'ble',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 20,
  topicFilter: (topic) => topic,
  encode: ({ name, topic }, reads, sequence) => {
    const lines = reads.map((read) => line(addressOf(name), read));
    const payload = sequence % 2 === 0 ? `${lines.join('\r\n')}\r\n` : JSON.stringify({ data: lines });
    return { topic, payload, ignored: 0 };
  },
  heartbeat: ({ name, topic }) => ({
    topic,
    payload: `$HBRP,${addressOf(name)},${addressOf(name)},-127,00000000\r\n`,
    ignored: 1,
  }),
};

function line(gateway: string, { value, rssi, at }: TagRead): string {
  const thousandths = String(Math.floor(at / 1_000) % 1_000).padStart(3, '0');
  const seconds = `${Math.floor(at / MICROS_PER_SECOND)}.${thousandths}`;
  return `$GPRP,${value},${gateway},${rssi},02010612FF0D0083BC200120AAAAFFFF000002070000,${seconds}`;
}
