import { PART, TURN } from './attack.ts';
import type { Case } from './case.ts';

/** Submissions of as many scans as there can be, none of them sent before. */
export function submissionsTo(base: string): Case[] {
  const url = `${base}/handheld/v1/submissions`;
  const sentAt = new Date().toISOString();
  const submissions = (name: string, value: (at: string) => string): Case => {
    const scans = Array.from({ length: 1_000 }, (_, at) => ({
      tag_type: 'rfid',
      value: value(String(at).padStart(3, '0')),
      observed_at: sentAt,
      rssi: -54,
    }));
    const location = { external_key: `LOC-0${PART}` };
    const body = { submission_id: `01KQSB3M8R0E5T9V2W${TURN}`, sent_at: sentAt, location, scans };
    const headers = { 'content-type': 'application/json' };
    const bytes = Buffer.from(JSON.stringify(body));
    return { name, asks: [{ method: 'POST', url, headers, body: bytes, isFresh: true }] };
  };
  return [
    submissions('1,000 assets that move', (at) => `E280${'0'.repeat(14)}${PART}${at}`),
    submissions('1,000 unknown tags of 255 characters', (at) => `${TURN}-${at}`.padEnd(255, 'x')),
  ];
}
