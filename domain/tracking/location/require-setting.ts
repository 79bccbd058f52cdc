import { AppError } from '../../../base/errors.ts';
import { USUAL_TAG_DBM } from './site.ts';

/** `inherit`: the location's own setting ends. */
export const PROCEDURES = ['every', 'strength', 'position', 'inherit'] as const;

/** How a location is decided on. */
export interface Deciding {
  procedure: (typeof PROCEDURES)[number];
  /** For `strength` and `position`; null for the others. */
  certainty: number | null;
  /** For `position`: strength of the tags at 1 m, in dBm; null for the usual one. */
  tagDbm: number | null;
}

/** The fault of a setting, and its field by its name in output. */
export class SettingFault extends AppError {
  readonly field: 'procedure' | 'certainty' | 'tag_dbm' | 'from';

  constructor(field: SettingFault['field'], message: string) {
    super('invalid_input', message);
    this.field = field;
  }
}

export const CERTAINTY = { least: 0.1, most: 10, usual: 1 };
export const TAG_DBM = { least: -120, most: 20, usual: USUAL_TAG_DBM };

/** A setting as it was asked for: certainty is the usual one where it is left out. @throws SettingFault `invalid_input`. */
export function requireDeciding(
  { procedure, certainty, tagDbm }: Deciding,
  { isOfLocation }: { isOfLocation: boolean },
): Deciding {
  const asksForProof = procedure === 'strength' || procedure === 'position';
  if (procedure === 'inherit' && !isOfLocation) {
    throw new SettingFault('procedure', 'Only a location can inherit; of an organization choose every');
  }
  if (!asksForProof && certainty !== null) {
    throw new SettingFault('certainty', 'The certainty is for strength and position only; leave it out');
  }
  if (certainty !== null && !(certainty >= CERTAINTY.least && certainty <= CERTAINTY.most)) {
    throw new SettingFault(
      'certainty',
      `The certainty must be ${CERTAINTY.least} to ${CERTAINTY.most}, such as ${CERTAINTY.usual}`,
    );
  }
  if (procedure !== 'position' && tagDbm !== null) {
    throw new SettingFault('tag_dbm', 'The strength of tags at 1 m is for position only; leave it out');
  }
  if (tagDbm !== null && !(tagDbm >= TAG_DBM.least && tagDbm <= TAG_DBM.most)) {
    throw new SettingFault(
      'tag_dbm',
      `The strength of tags at 1 m must be ${TAG_DBM.least} to ${TAG_DBM.most} dBm, such as ${TAG_DBM.usual}`,
    );
  }
  return { procedure, certainty: asksForProof ? (certainty ?? CERTAINTY.usual) : null, tagDbm };
}
