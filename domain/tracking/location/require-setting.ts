import { AppError } from '../../../base/errors.ts';
import { plainTag, USUAL_TAG_DBM } from './site.ts';

/** `inherit`: the location's own setting ends. */
export const PROCEDURES = ['every', 'strength', 'position', 'inherit'] as const;

/** How a location is decided on. */
export interface Deciding {
  procedure: (typeof PROCEDURES)[number];
  /** For `strength` and `position`; null for the others. */
  certainty: number | null;
  /** For `position`: strength of the tags at 1 m, in dBm; null for the usual one. */
  tagDbm: number | null;
  /** For `position`: the same for kinds of tags, by the beginnings of their values: `AC233F=-65, DD33=-70.5`. */
  tagKinds?: string | null;
}

/** The fault of a setting, and its field by its name in output. */
export class SettingFault extends AppError {
  readonly field: 'procedure' | 'certainty' | 'tag_dbm' | 'tag_kinds' | 'from';

  constructor(field: SettingFault['field'], message: string) {
    super('invalid_input', message);
    this.field = field;
  }
}

export const CERTAINTY = { least: 0.1, most: 10, usual: 1 };
export const TAG_DBM = { least: -120, most: 20, usual: USUAL_TAG_DBM };

export const MOST_KINDS_TEXT = 1_000;

/** A setting as it was asked for: certainty is the usual one where it is left out. @throws SettingFault `invalid_input`. */
export function requireDeciding(
  { procedure, certainty, tagDbm, tagKinds = null }: Deciding,
  { isOfLocation }: { isOfLocation: boolean },
): Required<Deciding> {
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
  if (procedure !== 'position' && tagKinds !== null) {
    throw new SettingFault(
      'tag_kinds',
      'The strengths of kinds of tags are for position only; leave them out',
    );
  }
  const kinds = tagKinds === null ? null : writtenKinds(kindsIn(tagKinds));
  // A capital may be longer than its letter.
  if (kinds !== null && kinds.length > MOST_KINDS_TEXT) {
    throw new SettingFault('tag_kinds', `The kinds of tags must have at most ${MOST_KINDS_TEXT} characters`);
  }
  return {
    procedure,
    certainty: asksForProof ? (certainty ?? CERTAINTY.usual) : null,
    tagDbm,
    tagKinds: kinds,
  };
}

/** @throws SettingFault `invalid_input`. */
export function kindsIn(text: string): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>();
  for (const kind of text.split(',')) {
    const [beginning = '', dbm = '', ...rest] = kind.split('=').map((part) => part.trim());
    const number = dbm === '' || rest.length > 0 ? Number.NaN : Number(dbm);
    const plain = plainTag(beginning);
    if (!(number >= TAG_DBM.least && number <= TAG_DBM.most) || plain === '' || kinds.has(plain)) {
      throw new SettingFault(
        'tag_kinds',
        `Write each kind of tag once, as the beginning of its values and its strength at 1 m in dBm (${TAG_DBM.least} to ${TAG_DBM.most}), such as AC233F=-65, DD33=-70.5`,
      );
    }
    kinds.set(plain, number);
  }
  if (kinds.size > MOST_KINDS) {
    throw new SettingFault('tag_kinds', `There may be at most ${MOST_KINDS} kinds of tags`);
  }
  return kinds;
}

const MOST_KINDS = 20;

function writtenKinds(kinds: ReadonlyMap<string, number>): string {
  return [...kinds].map(([beginning, dbm]) => `${beginning}=${dbm}`).join(', ');
}
