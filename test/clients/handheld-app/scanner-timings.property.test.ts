import { expect } from 'chai';
import fc from 'fast-check';
import { limitAfter, withOneMore } from '../../../clients/handheld-app/src/scanning/pause-limit.ts';
import { RECENT_MS, WedgeDecoder } from '../../../clients/handheld-app/src/scanning/wedge.ts';
import { randomSets } from '../../support/random-sets.ts';

/** A key with how long after the last one it is pressed. */
type Key = [key: string, after: number];

interface Scanner {
  what: string;
  /** Milliseconds before each character but the first, and before the end. */
  gaps(count: number): fc.Arbitrary<number[]>;
}

const between = (min: number, max: number) => fc.integer({ min, max });

const steady = (min: number, max: number) => (count: number) =>
  fc.array(between(min, max), { minLength: count, maxLength: count });

/** Packets of so many characters, with a pause in front of each but the first. */
function inPackets(count: number, [least, most]: [number, number], pause: [number, number]) {
  const packet = fc
    .tuple(between(least, most), between(...pause), steady(10, 40)(most))
    .map(([size, first, rest]) => [first, ...rest].slice(0, size));
  return fc
    .array(packet, { minLength: Math.ceil(count / least) + 1, maxLength: Math.ceil(count / least) + 1 })
    .map((packets) => packets.flat().slice(1, count + 1));
}

const SCANNERS: Scanner[] = [
  { what: 'a USB wedge', gaps: steady(1, 5) },
  { what: 'a Bluetooth wedge', gaps: steady(10, 40) },
  { what: 'a Bluetooth wedge that pauses', gaps: (count) => inPackets(count, [5, 9], [50, 120]) },
  { what: 'a slow serial scanner', gaps: steady(20, 60) },
  { what: 'an RFID sled', gaps: steady(2, 12) },
];

const ENDS: string[][] = [['Enter'], ['Tab'], ['Enter', 'Enter'], ['Tab', 'Enter']];

/** What is printed on tags. No value here is the end of another one, so that a tail is nobody's whole value. */
const value = fc.oneof(
  fc.stringMatching(/^\(PAL-\d{4}-\d{6}\)$/),
  fc.stringMatching(/^\(E280[0-9A-F]{20}\)$/),
  fc.stringMatching(/^\(\d{4,13}\)$/),
);

interface Heard {
  scans: string[];
  broken: number;
}

/** The decoder as the app has it, with what it learns. */
class App {
  #slowest: number[];
  #at = 1_000_000;
  readonly #decoder: WedgeDecoder<string>;
  readonly heard: Heard = { scans: [], broken: 0 };

  constructor(slowest: number[] = []) {
    this.#slowest = slowest;
    this.#decoder = new WedgeDecoder(() => limitAfter(this.#slowest), this.#at);
  }

  press(keys: readonly Key[], field: string | null = null): void {
    for (const [key, after] of keys) {
      if (after > RECENT_MS + 50) {
        this.#quiet(this.#at + RECENT_MS + 50);
      }
      this.#at += after;
      const stroke = this.#decoder.press(key, this.#at, field);
      if (stroke.kind === 'scan') {
        this.heard.scans.push(stroke.value);
      }
      if (stroke.kind === 'broken') {
        this.heard.broken += 1;
      }
      if ((stroke.kind === 'scan' || stroke.kind === 'broken') && stroke.slowest !== null) {
        this.#slowest = withOneMore(this.#slowest, stroke.slowest);
      }
    }
  }

  /** The window lost the keys and has them again. */
  interrupt(): void {
    if (this.#decoder.interrupt(this.#at).kind === 'broken') {
      this.heard.broken += 1;
    }
  }

  rest(): void {
    this.#at += 60_000;
    this.#quiet(this.#at);
  }

  #quiet(at: number): void {
    if (this.#decoder.quiet(at).kind === 'broken') {
      this.heard.broken += 1;
    }
  }
}

/** A scan as it is typed. */
function typed(scanner: Scanner): fc.Arbitrary<{ value: string; keys: Key[] }> {
  return fc.tuple(value, fc.constantFrom(...ENDS), between(15, 400)).chain(([text, ends, before]) =>
    scanner.gaps(text.length).map((gaps) => ({
      value: text,
      keys: [
        ...[...text].map((key, index): Key => [key, index === 0 ? before : (gaps[index - 1] ?? 5)]),
        ...ends.map((key, index): Key => [key, index === 0 ? (gaps[text.length - 1] ?? 5) : 5]),
      ],
    })),
  );
}

const RUNS = { numRuns: Math.max(100, randomSets(400)) };

describe('scans as real scanners time them', () => {
  for (const scanner of SCANNERS) {
    it(`of ${scanner.what} are taken whole, one close upon the other`, () => {
      fc.assert(
        fc.property(fc.array(typed(scanner), { minLength: 1, maxLength: 30 }), (scans) => {
          const app = new App();
          app.rest();
          for (const { keys } of scans) {
            app.press(keys);
          }
          expect(app.heard).to.deep.equal({ scans: scans.map((scan) => scan.value), broken: 0 });
        }),
        RUNS,
      );
    });

    it(`of ${scanner.what} never leave a tail for a tag, whatever is paused in or lost`, () => {
      const accident = fc.record({
        at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        pause: fc.oneof(between(40, 300), between(300, 1_300), between(1_300, 9_500)),
        lost: between(0, 4),
      });
      fc.assert(
        fc.property(
          fc.array(fc.tuple(typed(scanner), fc.option(accident)), { minLength: 1, maxLength: 30 }),
          (scans) => {
            const app = new App();
            app.rest();
            for (const [{ keys }, happened] of scans) {
              app.press(happened === null ? keys : withAccident(keys, happened));
              app.rest();
            }
            const printed = new Set(scans.map(([scan]) => scan.value));
            // Whatever lacks its beginning is no tag, and what was paused in is whole or nothing.
            expect(app.heard.scans.filter((scan) => !scan.startsWith('('))).to.deep.equal([]);
            const whole = scans.filter(([, happened]) => happened === null || happened.lost === 0);
            if (whole.length === scans.length) {
              expect(app.heard.scans.filter((scan) => !printed.has(scan))).to.deep.equal([]);
              // Of one that was torn for long both parts are told.
              const torn = scans.filter(([, happened]) => (happened?.pause ?? 0) > 1_300).length;
              expect(app.heard.scans.length + app.heard.broken).to.be.within(
                scans.length,
                scans.length + torn,
              );
            }
          },
        ),
        RUNS,
      );
    });

    it(`of ${scanner.what} never leave a tail for a tag when the page did not hear the beginning`, () => {
      fc.assert(
        fc.property(typed(scanner), between(1, 20), fc.boolean(), (scan, far, isOpening) => {
          const cut = Math.min(far, scan.value.length - 1);
          const app = new App();
          if (!isOpening) {
            app.rest();
            app.press(scan.keys.slice(0, cut - 1));
            app.interrupt();
          }
          app.press(scan.keys.slice(cut));
          app.rest();
          expect(app.heard.scans).to.deep.equal([]);
          if (scan.keys.length > cut + 4) {
            expect(app.heard.broken).to.be.above(0);
          }
        }),
        RUNS,
      );
    });
  }

  it('of a scanner that pauses longer than it did are taken from the second one on', () => {
    const paused = (text: string): Key[] => [
      ...[...text].map((key, index): Key => [key, index % 6 === 5 ? 160 : 10]),
      ['Enter', 10],
    ];
    const app = new App(Array(20).fill(4));
    for (const text of ['PAL-4711-000815', 'PAL-4711-000816', 'PAL-4711-000817']) {
      app.rest();
      app.press(paused(text));
    }
    expect(app.heard).to.deep.equal({ scans: ['PAL-4711-000816', 'PAL-4711-000817'], broken: 1 });
  });

  it('without ends are nobody’s tags, however many come back to back', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), between(1, 40), (values, gap) => {
        const app = new App();
        app.press([...values.join('')].map((key): Key => [key, gap]));
        app.rest();
        expect(app.heard).to.deep.equal({ scans: [], broken: 1 });
      }),
      RUNS,
    );
  });

  it('are told from what people type into a field, who hit two keys at once now and then', () => {
    const stroke = fc.tuple(fc.constantFrom(...'abcdefgh-0123456789'), between(80, 400));
    const word = fc.array(stroke, { minLength: 1, maxLength: 30 });
    const rolls = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(word, rolls, between(90, 900), fc.constantFrom(0, 20), (keys, isRolled, end, known) => {
        const app = new App(Array(known).fill(110));
        const hit = keys.map(([key, after], index): Key => {
          const isRoll = index % 4 === 3 && isRolled[index] === true;
          return [key, isRoll ? 20 : after];
        });
        app.press([...hit, ['Enter', end]], 'field');
        app.rest();
        expect(app.heard).to.deep.equal({ scans: [], broken: 0 });
      }),
      { numRuns: Math.max(400, randomSets(2_000)) },
    );
  });
});

/** `lost` characters are not heard, and a pause comes with that. */
function withAccident(
  keys: readonly Key[],
  { at, pause, lost }: { at: number; pause: number; lost: number },
) {
  const place = 1 + Math.floor(at * (keys.length - 2));
  const kept = keys.filter((_, index) => index < place || index >= place + lost);
  return kept.map(([key, after], index): Key => [key, index === place ? after + pause : after]);
}
