import type { QueryValues } from '../../router/address.ts';

/** What is printed of what was found. */
export interface Chosen {
  has: (key: string) => boolean;
  /** What the address has once that one is, or is not, any more. */
  toggled: (key: string) => QueryValues;
}

export const ALL: QueryValues = { of_none: null, with: null, without: null };
export const NONE: QueryValues = { ...ALL, of_none: true };

/** All but those `without`; beginning `of_none`, those `with` alone. So the address is short however many there are. */
export function chosenIn(query: URLSearchParams): Chosen {
  const isOfNone = query.has('of_none');
  const name = isOfNone ? 'with' : 'without';
  const named = query.getAll(name);
  const keys = new Set(named);
  return {
    has: (key) => keys.has(key) === isOfNone,
    toggled: (key) => ({ [name]: keys.has(key) ? named.filter((each) => each !== key) : [...named, key] }),
  };
}
