import { createHash } from 'node:crypto';
import { withColons } from './encoders/encoder.ts';
import { SHIFTS, type Shift } from './shifts.ts';

export type Role = 'pallet' | 'cage' | 'forklift' | 'person' | 'in repair';

export interface TaggedAsset {
  key: string;
  name: string;
  /** Tag values as readers read them: hex digits in upper case. */
  tags: Record<'rfid' | 'ble', string>;
  /** The same tags as registered: not always spelled as readers do. */
  registeredTags: Record<'rfid' | 'ble', string>;
}

export interface SimulatedAsset extends TaggedAsset {
  role: Role;
  shift: Shift;
}

/** @param prefix of their keys; other prefixes have other tags. */
export function makePopulation(count: number, prefix: string): SimulatedAsset[] {
  const own = createHash('sha256').update(prefix).digest('hex').toUpperCase();
  const numbers = new Map<Role, number>();
  return Array.from({ length: count }, (_, index) => {
    const role = ROLES[index % ROLES.length] ?? 'pallet';
    const number = (numbers.get(role) ?? 0) + 1;
    numbers.set(role, number);
    const [key, name] = NAMES[role];
    const rfid = `3034${own.slice(0, 8)}${hex(index, 12)}`;
    const ble = `C3${own.slice(0, 4)}${hex(index, 6)}`;
    return {
      key: `${prefix}${key}-${String(number).padStart(3, '0')}`,
      name: `${name} ${number}`,
      role,
      shift: SHIFTS[index % 3] ?? 0,
      tags: { rfid, ble },
      registeredTags: {
        rfid: index % 3 === 1 ? rfid.toLowerCase() : rfid,
        ble: index % 3 === 2 ? withColons(ble.toLowerCase()) : ble,
      },
    };
  });
}

/** Carts of a hall; see {@link makePopulation}. */
export function makeCarts(count: number, prefix: string): TaggedAsset[] {
  const own = createHash('sha256').update(prefix).digest('hex').toUpperCase();
  return Array.from({ length: count }, (_, index) => {
    const tags = {
      rfid: `3035${own.slice(0, 8)}${hex(index, 12)}`,
      ble: `C4${own.slice(0, 4)}${hex(index, 6)}`,
    };
    return {
      key: `${prefix}CART-${String(index + 1).padStart(3, '0')}`,
      name: `Simulated cart ${index + 1}`,
      ...{ tags, registeredTags: tags },
    };
  });
}

/** Per twenty assets; small sites have some of each. */
const ROLES: readonly Role[] = [
  'pallet',
  'forklift',
  'person',
  'cage',
  'pallet',
  'person',
  'pallet',
  'pallet',
  'cage',
  'pallet',
  'pallet',
  'person',
  'pallet',
  'pallet',
  'cage',
  'pallet',
  'pallet',
  'pallet',
  'pallet',
  'in repair',
];

const NAMES: Record<Role, [key: string, name: string]> = {
  pallet: ['PALLET', 'Simulated pallet'],
  cage: ['CAGE', 'Simulated roll cage'],
  forklift: ['FORKLIFT', 'Simulated forklift'],
  person: ['BADGE', 'Simulated badge'],
  'in repair': ['REPAIR', 'Simulated lift in repair'],
};

function hex(number: number, width: number): string {
  return number.toString(16).toUpperCase().padStart(width, '0');
}
