import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, Script } from 'node:vm';
import { parse, type Token } from 'acorn';
import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { compileDatePattern } from '../domain/formats/mapping/transforms/time/date-pattern.ts';
import { type Attack, attacksOn, textOf } from './support/attacks-on-pattern.ts';
import { filesBelow, ROOT } from './support/files-below.ts';
import { itByNight } from './support/random-sets.ts';

/** Characters: the largest body, message and cell. */
const LONGEST = 1_048_576;
/** Milliseconds of processor time. */
const MOST = 50;

/** Expressions there are run when something is built, simulated or typed by its user, so no stranger's text meets them. */
const ELSEWHERE = ['.ci/', 'test/', 'deploy/', 'docs/', 'simulation/', 'services/cli/'];

/** Expressions that meet shorter texts only, and would take long otherwise. */
const SHORTER: readonly { file: string; begins: string; longest: number; why: string }[] = [
  {
    file: 'domain/formats/read-source.ts',
    begins: ',? \\.\\.\\.',
    longest: 1_024,
    why: 'the engine writes the message, with a few characters of the source',
  },
  {
    file: 'platform/http/app-files/serve-files.ts',
    begins: '\\/assets\\/',
    longest: 4_096,
    why: 'paths of the files that the build wrote',
  },
];

/** Files in which calls make expressions, and a call that makes one. */
const MADE_BY_CALL: Readonly<Record<string, () => unknown>> = {
  'domain/formats/mapping/transforms/time/date-pattern.ts': () =>
    compileDatePattern({ pattern: "yyyy-M-dd'T'H:m:s.SX" }, '', { fault: expect.fail } as never),
};

interface Found {
  file: string;
  source: string;
  flags: string;
}

describe("regular expressions that meet strangers' text", () => {
  const files = filesBelow('.').filter(
    (file) =>
      /\.[mc]?[jt]sx?$/.test(file) &&
      !/\.d\.ts$|\/build\//.test(file) &&
      !ELSEWHERE.some((room) => file.startsWith(room)),
  );
  const tokens = new Map(files.map((file) => [file, tokensOf(file)]));
  const literals = [...tokens].flatMap(([file, all]) =>
    all.flatMap(({ type, value }) => {
      if (type.label !== 'regexp') {
        return [];
      }
      const { pattern: source, flags } = value as { pattern: string; flags: string };
      return [{ file, source, flags }];
    }),
  );
  const making = [...tokens].flatMap(([file, all]) => (all.some(isMaking) ? [file] : []));

  it('are found in every kind of source', () => {
    const found = new Set(literals.map(({ file }) => file));
    expect([...found]).to.include.members([
      'platform/http/unparsed.ts',
      'base/scanned-text.ts',
      'clients/console-app/src/parts/instant.tsx',
    ]);
    expect(making).to.include.members(['base/scanned-text.ts', ...Object.keys(MADE_BY_CALL)]);
  });

  it('take no longer than 50 ms for the largest text, whatever it is', async () => {
    const made: Found[][] = [];
    for (const file of making) {
      // One after another: what is made meanwhile counts as made by it.
      made.push(await madeIn(file));
    }
    expect(making.filter((_, at) => made[at]?.length === 0)).to.deep.equal([]);
    const all = Map.groupBy([...literals, ...made.flat()], ({ source, flags }) => `/${source}/${flags}`);
    const slow = [...all].flatMap(([text, [one]]) => {
      const found = attackOn(one as Found, longestFor(one as Found));
      return found === null ? [] : [`${one?.file}: ${text} takes ${found}`];
    });
    expect(slow).to.deep.equal([]);
  });

  itByNight('would be found if they backtracked', () => {
    const old = [
      '[A-Za-z]+ (\\S+) HTTP\\/\\d\\.\\d$',
      '^(a+)+$',
      '\\s+$',
      '<[^>]*>',
      '^\\s*(.+)=(\\d+)\\s*$',
      '(\\w+\\s?)*:',
    ];
    const missed = old.filter((source) => attackOn({ file: '', source, flags: '' }, LONGEST) === null);
    expect(missed).to.deep.equal([]);
  });

  it('are named as meeting short texts only where that matters', () => {
    const idle = SHORTER.filter(
      ({ file, begins }) =>
        !literals.some(
          (one) => one.file === file && one.source.startsWith(begins) && attackOn(one, LONGEST) !== null,
        ),
    );
    expect(idle).to.deep.equal([]);
  });
});

function longestFor({ file, source }: Found): number {
  return SHORTER.find((short) => short.file === file && source.startsWith(short.begins))?.longest ?? LONGEST;
}

/** How it takes too long, or null. A shorter text shows most faults, sooner. */
function attackOn({ source, flags }: Found, longest: number): string | null {
  const expression = new RegExp(source, flags);
  const short = Math.min(longest, LONGEST / 16);
  let worst: { attack: Attack; time: number } | undefined;
  for (const attack of attacksOn(source, flags)) {
    const text = textOf(attack, short);
    const time = timeOf(expression, text);
    if (time > MOST) {
      return told(text, time);
    }
    if (worst === undefined || time > worst.time) {
      worst = { attack, time };
    }
  }
  if (worst === undefined) {
    return null;
  }
  const text = textOf(worst.attack, longest);
  // Once more if it takes too long: the first time compiles it.
  const time = Math.min(timeOf(expression, text), timeOf(expression, text));
  return time > MOST ? told(text, time) : null;
}

function told(text: string, time: number): string {
  return `${time.toFixed()} ms for ${text.length} characters: ${JSON.stringify(text.slice(0, 40))}`;
}

const CONTEXT: { text?: string; expression?: RegExp } = createContext({});
const RUN = new Script('expression.global ? text.replace(expression, "") : expression.test(text)');

/** Milliseconds of processor time, or infinity. */
function timeOf(expression: RegExp, text: string): number {
  Object.assign(CONTEXT, { expression, text });
  const before = process.threadCpuUsage();
  try {
    RUN.runInContext(CONTEXT, { timeout: 1_000 });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Its type does not say that it has a value. */
type ValuedToken = Token & { value?: unknown };

function tokensOf(file: string): ValuedToken[] {
  const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    target: 'esnext',
    format: 'esm',
  });
  const tokens: ValuedToken[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  return tokens;
}

function isMaking({ type, value }: ValuedToken, at: number, all: readonly ValuedToken[]): boolean {
  return type.label === 'name' && value === 'RegExp' && all[at + 1]?.type.label === '(';
}

/** The expressions that a file makes when it is loaded, or by a call. */
async function madeIn(file: string): Promise<Found[]> {
  const made: RegExp[] = [];
  const own = globalThis.RegExp;
  globalThis.RegExp = new Proxy(own, {
    construct(target, given: [string, string]) {
      const expression = new target(...given);
      made.push(expression);
      return expression;
    },
  });
  try {
    const call = MADE_BY_CALL[file];
    await (call === undefined ? import(`${pathToFileURL(join(ROOT, file))}?loaded=again`) : call());
  } finally {
    globalThis.RegExp = own;
  }
  return made.map(({ source, flags }) => ({ file, source, flags }));
}
