import { expect } from 'chai';
import { encodeEpc } from '../../../domain/identity/encode-epc.ts';
import { decodeEpc, EPC_SCHEMES, type EpcScheme, type Values } from '../../../domain/identity/epc.ts';
import { checkDigit, matchingKey } from '../../../domain/identity/gs1-elements.ts';
import { elementsOf, parseEpcUri, uriOf, valuesOf } from '../../../domain/identity/named.ts';
import { Random } from '../../support/random.ts';
import { randomSets } from '../../support/random-sets.ts';

const SEED = 40;
const KEYS = randomSets(2_000);
const VALUES = randomSets(20_000);

/** Others in each run of a part. */
const FIRST = Math.floor(Math.random() * 1e6);

const DIGITS = '0123456789';
const CPI = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ#-/`;
const TEXT = `${CPI.replace('#', '')}!"%&'()*+,.:;<=>?_abcdefghijklmnopqrstuvwxyz`;

describe('random EPCs', function () {
  this.timeout(3_600_000);

  for (const scheme of EPC_SCHEMES) {
    it(`of ${scheme.name} are decoded to what was encoded`, () => {
      for (let index = 0; index < KEYS; index++) {
        const values = randomValues(scheme, new Random(SEED, FIRST + index));
        const hex = encodeEpc({ scheme, values });
        const decoded = decodeEpc(hex ?? '');
        const said = JSON.stringify({ values, hex, decoded: decoded?.values });
        if (
          decoded?.scheme !== scheme ||
          encodeEpc(decoded) !== hex ||
          !isThereAndBack(scheme, values, decoded.values)
        ) {
          throw new Error(`${SEED}, ${FIRST + index}: ${said}`);
        }
      }
    });
  }

  it('of 96 bits that are decoded are encoded to the same bits', () => {
    let decoded = 0;
    for (let index = 0; index < VALUES; index++) {
      const random = new Random(SEED, FIRST + index);
      const header = random.once(4) ? hexDigits(random, 2) : random.pick(EPC_SCHEMES).header;
      const hex = header + hexDigits(random, 22);
      const epc = decodeEpc(hex);
      if (epc !== null) {
        decoded += 1;
        if (encodeEpc(epc) !== hex) {
          throw new Error(`${hex} as ${epc.scheme.name}: ${JSON.stringify(epc.values)}`);
        }
      }
    }
    expect(decoded).to.be.above(VALUES / 20);
  });
});

/** The fields, the GS1 key and the EPC URI. */
function isThereAndBack({ kind }: EpcScheme, given: Values, read: Values): boolean {
  const isSame = Object.entries(given).every(([name, value]) => read[name] === value);
  const elements = elementsOf(kind, read);
  const uri = uriOf(kind, read);
  const parsed = uri === null ? null : parseEpcUri(uri);
  const again = elements === null ? null : valuesOf(elements, read['prefix']?.length ?? 0);
  const isUri = uri === null || (parsed !== null && uriOf(parsed.kind, parsed.values) === uri);
  const isKey =
    elements === null ||
    read['prefix'] === undefined ||
    (again !== null && uriOf(again.kind, again.values) === uri);
  const isParsed =
    elements === null ||
    parsed === null ||
    matchingKey(elementsOf(kind, parsed.values) ?? new Map()) === matchingKey(elements);
  return (
    isSame && isUri && isKey && isParsed && (elements !== null || ['gid', 'usdod', 'adi'].includes(kind))
  );
}

function randomValues(scheme: EpcScheme, random: Random): Values {
  const { name, kind } = scheme;
  if (kind === 'gid') {
    return { manager: number(random, 8), class: number(random, 7), serial: number(random, 10) };
  }
  if (kind === 'usdod' || kind === 'adi') {
    const owner = characters(random, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789', 5 + random.below(2));
    const filter = String(random.below(16));
    return kind === 'usdod'
      ? { filter, owner, serial: number(random, 10) }
      : {
          ...{ filter, owner, part: characters(random, `${DIGITS}ABCXYZ-/`, random.below(33)) },
          serial: (random.once(3) ? '#' : '') + characters(random, `${DIGITS}ABCXYZ-/`, 1 + random.below(29)),
        };
  }
  const filter = String(random.below(8));
  return name.includes('+')
    ? plusValues(scheme, random, filter)
    : { filter, ...classicValues(scheme, random) };
}

function classicValues({ name, kind }: EpcScheme, random: Random): Values {
  const length = 6 + random.below(7);
  const prefix = characters(random, DIGITS, length);
  const whole = { sgtin: 13, itip: 13, sscc: 17, gsrn: 17, gsrnp: 17 }[kind as string] ?? 12;
  const reference =
    name === 'GIAI-202'
      ? characters(random, TEXT, 1 + random.below(30 - length))
      : name === 'CPI-var'
        ? characters(random, CPI, 1 + random.below(30 - length))
        : name === 'GIAI-96' || name === 'CPI-96'
          ? number(random, 15 - length)
          : characters(random, DIGITS, whole - length);
  const pieces =
    kind === 'itip' ? { piece: characters(random, DIGITS, 2), total: characters(random, DIGITS, 2) } : {};
  if (['sscc', 'gsrn', 'gsrnp', 'giai'].includes(kind)) {
    return { prefix, reference };
  }
  const most = { 'GRAI-170': 16, 'GDTI-174': 17 }[name] ?? 20;
  const serial = /-(?:96|110|var)$/.test(name)
    ? kind === 'sgcn'
      ? characters(random, DIGITS, random.below(13))
      : number(random, kind === 'cpi' ? 9 : 11)
    : name === 'GDTI-113'
      ? characters(random, DIGITS, random.below(18))
      : characters(random, TEXT, 1 + random.below(most));
  return { prefix, reference, ...pieces, serial };
}

function plusValues({ name, kind }: EpcScheme, random: Random, filter: string): Values {
  const values: Values = { toggle: '0', filter };
  const digits = { sgtin: 14, itip: 14, sscc: 18, gsrn: 18, gsrnp: 18 }[kind as string] ?? 13;
  const body = characters(random, DIGITS, digits - 1);
  values['key'] = body + checkDigit(body);
  if (kind === 'grai') {
    values['key'] = `0${values['key']}`;
  }
  if (kind === 'giai' || kind === 'cpi') {
    const first = characters(random, DIGITS, 12 + random.below(5));
    const rest = random.once(3)
      ? ''
      : `X${characters(random, kind === 'cpi' ? CPI : TEXT, random.below(13))}`;
    values['key'] = first + rest;
  }
  if (kind === 'itip') {
    values['pieces'] = characters(random, DIGITS, 4);
  }
  if (kind === 'cpi' || kind === 'sgcn') {
    values['serial'] = characters(random, DIGITS, 1 + random.below(12));
  } else if (['sgtin', 'sgln', 'grai', 'gdti', 'itip'].includes(kind)) {
    const most = { grai: 16, gdti: 17 }[kind as string] ?? 20;
    const set = random.pick([TEXT, DIGITS, '0123456789abcdef', '0123456789ABCDEF', 'ABC-_xyz09', 'ABC.:-09']);
    values['serial'] = characters(random, set, 1 + random.below(most));
  }
  if (name.startsWith('D')) {
    Object.assign(values, {
      kind: String(random.below(7)),
      year: '26',
      month: '11',
      day: characters(random, '012', 2),
    });
  }
  if (name.endsWith('++')) {
    values['domain'] = `1000010${Array.from({ length: 14 }, () => random.below(2)).join('')}`;
  }
  return values;
}

function characters(random: Random, set: string, length: number): string {
  return Array.from({ length }, () => random.pick([...set])).join('');
}

function number(random: Random, digits: number): string {
  return characters(random, DIGITS, 1 + random.below(digits)).replace(/^0+(?=.)/, '');
}

function hexDigits(random: Random, length: number): string {
  return characters(random, '0123456789ABCDEF', length);
}
