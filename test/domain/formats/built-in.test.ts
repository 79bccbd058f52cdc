import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { dryRun } from '../../../domain/formats/dry-run.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { compileFormat, FORMAT_SCHEMA, type Format } from '../../../domain/formats/mapping/format.ts';
import { recognize } from '../../../domain/formats/recognize.ts';
import { formatsThatRead } from '../../../domain/formats/would-read.ts';
import { loadFixtures } from '../../support/format-fixtures.ts';
import { readmeOfFormats } from './readme-of-formats.ts';

/** A payload as the maker documents it, with invented values, and what is to become of it. */
interface Documented {
  name: string;
  format: string;
  topic: string;
  payload: unknown;
  identity?: 'ibeacon' | 'eddystone';
  expect: { scans: object[]; near_misses?: number };
}

describe('the built-in formats', () => {
  const formats = loadBuiltinFormats();
  const fixtures = loadFixtures();
  const documented: Documented[] = JSON.parse(
    readFileSync(new URL('../../fixtures/payloads/documented.json', import.meta.url), 'utf8'),
  );
  const sources = [...formats].map(([name, { definition }]) => [name, JSON.stringify(definition)] as const);

  it('are those that are tried here', () => {
    expect([...fixtures.keys()].sort()).to.deep.equal([...formats.keys()].sort());
  });

  it('are compiled once', () => {
    expect(loadBuiltinFormats()).to.equal(formats);
  });

  for (const [name, format] of formats) {
    describe(name, () => {
      for (const { about, topic, payload, policies, expected } of fixtures.get(name) ?? []) {
        const identity = policies.identity === undefined ? '' : ` (${policies.identity})`;
        it(`reads: ${about}${identity}`, () => {
          expect(dryRun(format, { topic, payload }, policies)).to.deep.equal(expected);
        });
      }

      it('lists no unknown tags of Bluetooth, and those of other kinds', () => {
        const scans = (fixtures.get(name) ?? []).flatMap(({ expected }) => expected.scans);
        expect(scans).to.not.have.length(0);
        for (const { tag_type, report_unknown } of scans) {
          expect(report_unknown).to.equal(tag_type !== 'ble');
        }
      });

      it('reads nothing that is said to be gone', () => {
        for (const gone of ['TAG_REMOVED', 'away', 'departed']) {
          for (const { topic, payload, policies, expected } of fixtures.get(name) ?? []) {
            const left = name === 'ingics' ? null : saidToBe(gone, payload);
            if (left !== null && expected.scans.length > 0) {
              expect(dryRun(format, { topic, payload: left }, policies).scans).to.deep.equal([]);
            }
          }
        }
      });

      it('is recognized by what its devices send', () => {
        for (const { topic, payload, policies, expected } of fixtures.get(name) ?? []) {
          if (expected.scans.length > 0 && Object.keys(policies).length === 0) {
            const recognized = recognize({ formats: sources, messages: [{ topic, payload }] });
            const [best] = recognized;
            // A tag that is named in the topic only: any object under it could be of that make.
            const isBest =
              best?.format === name ||
              (best?.format === 'ruuvi-gateway' && /[0-9A-F]{12}$/i.test(topic.replaceAll(':', '')));
            expect([topic, isBest]).to.deep.equal([topic, true]);
            expect(formatsThatRead({ topic, payload })).to.include(name);
          }
        }
      });

      it('is written as people write it', () => {
        for (const keys of keysOfObjects(format.definition)) {
          expect(inOrderOfTheLanguage(keys)).to.deep.include(keys);
        }
      });
    });
  }

  for (const { name, format, topic, payload, identity, expect: wanted } of documented) {
    it(`read what makers document: ${name}`, () => {
      const message = {
        topic,
        payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
      };
      const run = dryRun(formats.get(format) as Format, message, identity === undefined ? {} : { identity });
      expect(run.rejected).to.deep.equal([]);
      expect(run.near_misses ?? 0).to.equal(wanted.near_misses ?? 0);
      expect(run.scans).to.have.length(wanted.scans.length);
      for (const [index, scan] of wanted.scans.entries()) {
        expect(run.scans[index]).to.deep.include(scan);
      }
    });
  }

  it('ask about reads that are wrapped in something else', () => {
    for (const { name, format, topic, payload, expect: wanted } of documented) {
      if (wanted.scans.length === 0 || typeof payload === 'string') {
        continue;
      }
      for (const wrapped of [{ message: payload }, [payload], { event: 'x', body: [payload] }]) {
        const message = { topic, payload: Buffer.from(JSON.stringify(wrapped)) };
        const { scans, rejected, near_misses } = dryRun(formats.get(format) as Format, message);
        expect([name, wrapped, scans.length + rejected.length > 0 || near_misses]).to.not.include(undefined);
      }
    }
  });

  it('lose a bad item and nothing else, wherever several can be in a message', () => {
    const single = [
      ...['openmqttgateway', 'ruuvi-gateway', 'espresense', 'chirpstack', 'the-things-stack', 'wirepas'],
    ];
    for (const [name, list] of fixtures) {
      const isMixed = list.some(({ expected }) => expected.scans.length > 0 && expected.rejected.length > 0);
      expect([name, isMixed || single.includes(name)]).to.deep.equal([name, true]);
    }
  });
});

/** A payload of JSON in which every object is an event of that kind; null if it is none, or has its reads in lines. */
function saidToBe(event: string, payload: Buffer): Buffer | null {
  try {
    const withEvent = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? { event, ...value } : value;
    return Buffer.from(JSON.stringify(JSON.parse(payload.toString()), withEvent));
  } catch {
    return null;
  }
}

/** The keys of every object in `value`, as they follow each other. */
function keysOfObjects(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const within = Object.values(value).flatMap(keysOfObjects);
  return Array.isArray(value) ? within : [Object.keys(value), ...within];
}

/** The same keys in the order that each object of the language has, of those that have them all. */
function inOrderOfTheLanguage(keys: readonly string[]): string[][] {
  const objects: string[][] = [];
  JSON.stringify(FORMAT_SCHEMA, (key, value) => {
    if (key === 'properties' && keys.every((each) => each in value)) {
      objects.push(Object.keys(value).filter((each) => keys.includes(each)));
    }
    return value;
  });
  return objects;
}

describe("a format of one's own", () => {
  it('reads a payload as the guide shows it', () => {
    const { payload, definition } = readmeOfFormats();
    const format = compileFormat(JSON.parse(definition));
    const fixtures = loadFixtures('own-formats').get(format.name) ?? [];
    expect(fixtures.map((fixture) => JSON.parse(fixture.payload.toString()))).to.deep.equal([
      JSON.parse(payload),
    ]);
    for (const { topic, payload, expected } of fixtures) {
      expect(dryRun(format, { topic, payload })).to.deep.equal(expected);
    }
  });
});
