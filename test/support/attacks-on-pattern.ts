import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/**
 * Texts that make a regular expression backtrack, if anything does: what a repetition takes, again and again, behind
 * what the pattern wants before it, and in front of something that does not match. Also each character that the pattern
 * knows by itself, and in pairs, because a search begins again at every place of the text.
 */
export function attacksOn(source: string, flags: string): Attack[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const words = new Words(flags.replace(/[gy]/g, ''), source);
  const pumps = new Set<string>();
  const attacks = new Map<string, Attack>();
  const add = (before: string, pump: string, behind: string) => {
    attacks.set(JSON.stringify([before, pump, behind]), { before, pump, behind });
  };
  visitRegExpAST(pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max - quantifier.min < MANY) {
        return;
      }
      const before = wordBefore(quantifier, words);
      const taken = words.of(quantifier.element).filter((word) => word !== '');
      const behind = wordBehind(quantifier, words);
      for (const pump of new Set([
        ...taken,
        taken.join(''),
        before,
        before + (taken[0] ?? ''),
        behind + before,
      ])) {
        if (pump !== '') {
          pumps.add(pump);
          for (const end of ['', '\u0001', behind.slice(0, -1), `${behind}\u0001`]) {
            add(before, pump, end);
          }
        }
      }
    },
  });
  const single = [...words.known];
  for (const pump of [...pumps, ...single, ...single.flatMap((one) => single.map((other) => one + other))]) {
    add('', pump, '');
    add('', pump, '\u0001');
  }
  return [...attacks.values()];
}

export interface Attack {
  before: string;
  /** Repeated as often as there is room. */
  pump: string;
  behind: string;
}

/** @param length characters. */
export function textOf({ before, pump, behind }: Attack, length: number): string {
  const room = Math.max(0, length - before.length - behind.length);
  return before + pump.repeat(Math.ceil(room / pump.length)).slice(0, room) + behind;
}

/** Repetitions beyond which work adds up. */
const MANY = 20;

/** Samples of what parts of a pattern match. */
class Words {
  /** Characters that classes of the pattern take, and those that it names. */
  readonly known = new Set<string>();
  readonly #flags: string;
  readonly #candidates: readonly string[];

  constructor(flags: string, source: string) {
    this.#flags = flags;
    this.#candidates = [...new Set([...COMMON, ...source])];
  }

  of(node: AST.Element | AST.Alternative): string[] {
    switch (node.type) {
      case 'Alternative':
        return node.elements.reduce<string[]>((all, element) => joined(all, this.of(element)), ['']);
      case 'CapturingGroup':
      case 'Group':
        return node.alternatives.flatMap((alternative) => this.of(alternative).slice(0, SAMPLES));
      case 'Quantifier': {
        const once = this.of(node.element);
        const least = Math.min(Math.max(node.min, 1), MANY);
        return once.map((word) => word.repeat(least)).concat(node.min === 0 ? [''] : []);
      }
      case 'Character':
        this.known.add(String.fromCodePoint(node.value));
        return [String.fromCodePoint(node.value)];
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass': {
        const whole = new RegExp(`^(?:${node.raw})$`, this.#flags);
        const taken = this.#candidates.filter((character) => whole.test(character)).slice(0, SAMPLES);
        for (const character of taken) {
          this.known.add(character);
        }
        return taken.length === 0 ? [''] : taken;
      }
      default:
        return [''];
    }
  }
}

const COMMON = [
  'a',
  '0',
  ' ',
  'A',
  '\n',
  '\t',
  '"',
  "'",
  '-',
  '.',
  ',',
  ';',
  '/',
  '\\',
  '=',
  '<',
  '&',
  'é',
  '\u0301',
];

/** Of each class or group. */
const SAMPLES = 3;

/** The first of each, and the others with the first. */
function joined(all: readonly string[], next: readonly string[]): string[] {
  const [first = ''] = all;
  return [
    ...new Set([...all.map((word) => word + (next[0] ?? '')), ...next.map((word) => first + word)]),
  ].slice(0, 6);
}

function wordBefore(node: AST.Node, words: Words): string {
  return beside(
    node,
    words,
    (elements, at) => elements.slice(0, at),
    (own, outer) => outer + own,
  );
}

function wordBehind(node: AST.Node, words: Words): string {
  return beside(
    node,
    words,
    (elements, at) => elements.slice(at + 1),
    (own, outer) => own + outer,
  );
}

function beside(
  node: AST.Node,
  words: Words,
  part: (elements: readonly AST.Element[], at: number) => readonly AST.Element[],
  join: (own: string, outer: string) => string,
): string {
  const { parent } = node;
  if (parent === null) {
    return '';
  }
  const outer = beside(parent, words, part, join);
  if (parent.type !== 'Alternative') {
    return outer;
  }
  const own = part(parent.elements, parent.elements.indexOf(node as AST.Element));
  return join(own.map((element) => words.of(element)[0] ?? '').join(''), outer);
}
