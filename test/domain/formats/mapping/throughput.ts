import { mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { builtin, bytes } from '../../../support/mapping.ts';

/** Measures reads a second on one core. Not a test: `node test/domain/formats/mapping/throughput.ts`. */

const READS = 50;
const SECONDS = 1;

function many<T>(item: (index: number) => T): T[] {
  return Array.from({ length: READS }, (_, index) => item(index));
}

const cslTags = many((index) => ({
  epc: `712AC12F10070000003300${10 + index}`,
  timeStampOfRead: 1_780_591_822_281_000 + index,
  antennaPort: 1,
  rssi: '-70',
}));
const zebraEvents = many((index) => ({
  data: {
    eventNum: index,
    format: 'epc',
    idHex: `ad99160040aac995250000${10 + index}`,
    antenna: 1,
    peakRssi: -54,
  },
  timestamp: '2026-02-24T10:14:42.851+0000',
  type: 'INVENTORY',
}));
const ownReads = many((index) => ({
  tag_type: 'rfid',
  value: `E2801160600002085A4B${1000 + index}`,
  antenna: 1,
  rssi: -54.5,
  observed_at: '2026-05-01T10:00:00.123Z',
}));
const ownReadsWithLongNumber = JSON.stringify(ownReads).replaceAll('}', ',"sequence":1780591822281001999}');

measure('csl-cs463', 'a report', { rfidReaderName: 'dock-2', tags: cslTags }, READS);
measure('zebra-iotc', 'an array', zebraEvents, READS);
measure('zebra-iotc', 'back to back', zebraEvents.map((event) => JSON.stringify(event)).join(''), READS);
measure('zebra-iotc', 'one a message', zebraEvents[0], 1);
measure('tagtrail', 'an array', ownReads, READS);
measure('tagtrail', 'with a number beyond 2^53 in each', ownReadsWithLongNumber, READS);

function measure(name: string, what: string, content: unknown, reads: number): void {
  const format = builtin(name);
  const message = { topic: 'site/reader', payload: bytes(content) };
  const during = (seconds: number) => {
    const until = performance.now() + seconds * 1_000;
    let messages = 0;
    while (performance.now() < until) {
      mapMessage(format, message);
      messages += 1;
    }
    return messages / seconds;
  };
  during(SECONDS / 2);
  const rate = Math.round(during(SECONDS) * reads);
  console.log(`${name}, ${what} (${message.payload.length} bytes): ${rate.toLocaleString('en')} reads/s`);
}
