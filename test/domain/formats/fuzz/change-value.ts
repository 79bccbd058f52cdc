import type { Random } from '../../../support/random.ts';
import { anyKey, anyValue } from './values.ts';

/** `value` with one or a few of its members, at any depth, changed, moved, repeated or left out. */
export function changeValue(value: unknown, other: unknown, random: Random): unknown {
  let changed = value;
  for (let times = random.below(3) + 1; times > 0; times -= 1) {
    changed = changeAt(changed, other, random);
  }
  return changed;
}

function changeAt(value: unknown, other: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.once(4)) {
    return replacement(value, other, random);
  }
  return Array.isArray(value) ? changeArray(value, other, random) : changeObject(value, other, random);
}

function changeArray(array: readonly unknown[], other: unknown, random: Random): unknown[] {
  const at = random.below(array.length + 1);
  switch (random.below(6)) {
    case 0:
      return array.toSpliced(at, 1);
    case 1:
      return array.toSpliced(at, 0, anyValue(random));
    case 2:
      return array.toSpliced(at, 0, ...Array.from({ length: random.below(50) }, () => array[0]));
    default:
      return array.map((element, index) => (index === at ? changeAt(element, other, random) : element));
  }
}

function changeObject(object: object, other: unknown, random: Random): object {
  const members = Object.entries(object);
  const [key, member] = members[random.below(Math.max(members.length, 1))] ?? ['', undefined];
  switch (random.below(6)) {
    case 0:
      return Object.fromEntries(members.filter(([name]) => name !== key));
    case 1:
      return Object.fromEntries([...members, [anyKey(random), member]]);
    case 2:
      return Object.fromEntries(members.map(([name, old]) => [name === key ? anyKey(random) : name, old]));
    default:
      return Object.fromEntries(
        members.map(([name, old]) => [name, name === key ? changeAt(old, other, random) : old]),
      );
  }
}

function replacement(value: unknown, other: unknown, random: Random): unknown {
  switch (random.below(7)) {
    case 0:
      return other;
    case 1:
      return [value];
    case 2:
      return { data: value, value, tags: [value] };
    case 3:
      return nested(value, random.below(80), random);
    default:
      return anyValue(random);
  }
}

function nested(value: unknown, depth: number, random: Random): unknown {
  let around = value;
  for (let level = 0; level < depth; level += 1) {
    around = random.once(2) ? [around] : { data: around };
  }
  return around;
}
