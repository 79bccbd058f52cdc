import { isTagType } from '../../../../domain/tracking/tag-type.ts';
import type { AssetRef, ScanResult } from './answers.ts';
import type { Place } from './place.ts';

/** Parses a result; missing members are null, and statuses of later versions pass. */
export function resultOf(result: unknown): ScanResult {
  const said = (result ?? {}) as Partial<Record<keyof ScanResult, unknown>>;
  return {
    status: typeof said.status === 'string' ? said.status : 'unknown',
    ...(isTagType(said.tag_type) ? { tag_type: said.tag_type } : {}),
    from: named<Place>(said.from),
    asset: named<AssetRef>(said.asset),
    location: named<Place>(said.location),
  };
}

function named<Named extends { id: number; external_key: string; name: string }>(
  value: unknown,
): Named | null {
  return typeof value === 'object' && value !== null && 'id' in value ? (value as Named) : null;
}
