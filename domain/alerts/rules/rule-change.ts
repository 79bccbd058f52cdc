import type { Micros } from '../../../base/instant.ts';
import type { LastingKind } from '../../tracking/reading-bound.ts';
import type { MetadataTerm } from './rule.ts';

/** The settings that change. Undefined leaves a setting; null removes it. */
export interface RuleChange {
  name?: string | undefined;
  after?: Micros | null | undefined;
  thenAfter?: Micros | null | undefined;
  locationExternalKey?: string | null | undefined;
  reading?: LastingKind | null | undefined;
  above?: number | null | undefined;
  below?: number | null | undefined;
  hysteresis?: number | null | undefined;
  hours?: string | null | undefined;
  timeZone?: string | null | undefined;
  assetExternalKeys?: readonly string[] | null | undefined;
  /** Assets to add to the list, whoever else adds some at the same time. */
  addedAssetExternalKeys?: readonly string[] | undefined;
  withinLocationExternalKey?: string | null | undefined;
  metadata?: readonly MetadataTerm[] | null | undefined;
  readerIds?: readonly number[] | null | undefined;
  mailTo?: readonly string[] | null | undefined;
}
