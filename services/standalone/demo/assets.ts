import type { AssetKind } from '../../../simulation/movement.ts';

export interface SiteAsset {
  key: string;
  name: string;
  kind: AssetKind;
  /** Hex digits in upper case, as readers read it. */
  epc: string;
  /** The same tag as registered: zeros and case may differ. */
  registeredTag: string;
}

export const ASSETS: readonly SiteAsset[] = [
  ...several(16, 'PALLET', 'Euro pallet', 'goods', (n) => {
    const epc = `3034257BF468D480${hex(1000 + n, 8)}`;
    return { epc, registeredTag: epc };
  }),
  ...several(8, 'TOTE', 'Blue tote', 'goods', (n) => {
    const epc = `E28011606000020A${hex(0x6681f200 + n, 8)}`;
    return { epc, registeredTag: epc.toLowerCase() };
  }),
  ...several(8, 'CAGE', 'Roll cage', 'equipment', (n) => ({
    epc: hex(0xc0de00 + n, 24),
    registeredTag: hex(0xc0de00 + n, 6),
  })),
  ...several(3, 'FORKLIFT', 'Forklift', 'equipment', (n) => {
    const epc = `00B07A14${hex(0x300 + n, 16)}`;
    return { epc, registeredTag: epc.replace(/(.{4})(?=.)/g, '$1-').toLowerCase() };
  }),
  ...several(3, 'JACK', 'Pallet jack', 'equipment', (n) => {
    const epc = `00B07A14${hex(0x400 + n, 16)}`;
    return { epc, registeredTag: epc.replace(/^0+/, '') };
  }),
  ...several(2, 'LIFT', 'Scissor lift', 'in repair', (n) => {
    const epc = `00B07A14${hex(0x500 + n, 16)}`;
    return { epc, registeredTag: epc };
  }),
];

function several(
  count: number,
  key: string,
  name: string,
  kind: AssetKind,
  tag: (number: number) => { epc: string; registeredTag: string },
): SiteAsset[] {
  return Array.from({ length: count }, (_, index) => index + 1).map((number) => ({
    key: `${key}-${String(number).padStart(2, '0')}`,
    name: `${name} ${number}`,
    kind,
    ...tag(number),
  }));
}

function hex(number: number, width: number): string {
  return number.toString(16).toUpperCase().padStart(width, '0');
}
