import type { Asset } from '../../api/types.ts';

/** An asset or a place, as far as labels need it. */
export type Labelled = Pick<Asset, 'id' | 'external_key' | 'name' | 'tags'>;

export interface LabelItem {
  id: number;
  external_key: string;
  name: string;
  /** The content of its codes. */
  value: string;
  /** Scanners find it by that. */
  isFound: boolean;
}

/** Scanners find a thing by its tags: the code holds its barcode, or its key where it has none. */
export function labelItem({ id, external_key, name, tags }: Labelled): LabelItem {
  const barcode = tags.find(({ tag_type }) => tag_type === 'barcode');
  return { id, external_key, name, value: barcode?.value ?? external_key, isFound: barcode !== undefined };
}
