import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Settings } from '../../platform/runtime/settings.ts';
import { API_SETTINGS } from '../../services/api/config.ts';
import { CONSOLE_SETTINGS } from '../../services/console/config.ts';
import { GATEWAY_SETTINGS } from '../../services/handheld-gateway/config.ts';
import { INGEST_SETTINGS } from '../../services/mqtt-ingest/config.ts';
import { STANDALONE_SETTINGS } from '../../services/standalone/config.ts';
import { WORKER_SETTINGS } from '../../services/worker/config.ts';
import { ROOT } from './command-blocks.ts';

const ROWS = readFileSync(`${ROOT}docs/settings.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

describe('the page of settings', () => {
  const processes: Settings[] = [
    ...[API_SETTINGS, GATEWAY_SETTINGS, INGEST_SETTINGS],
    ...[CONSOLE_SETTINGS, STANDALONE_SETTINGS, WORKER_SETTINGS],
  ];
  for (const [name, declared] of Map.groupBy(processes.flatMap(Object.entries), ([name]) => name)) {
    it(`says what ${name} can be, and what it is by default`, () => {
      const row = ROWS.find(([names]) => names?.split(', ').includes(`\`${name}\``));
      const [, initially = '', about = ''] = row ?? [];
      expect(row, 'its row').to.have.length(3);
      for (const [, { initial, range }] of declared) {
        if (initial !== null && !initial.startsWith('tagtrail-')) {
          expect(initially).to.include(`\`${initial}\``);
        }
        if (range !== undefined) {
          const [min, max] = [range.min, range.max].map((bound) => bound.toLocaleString('en-US'));
          expect(about).to.include(`${min} to ${max}`);
        }
      }
    });
  }
});
