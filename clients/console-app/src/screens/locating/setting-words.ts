import type { LocatingValues } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';

/** A setting as a sentence. */
export function settingWords({ procedure, certainty, tag_dbm: tagDbm }: LocatingValues): string {
  const t = texts.value.locating;
  switch (procedure) {
    case 'every':
      return t.everyRead;
    case 'inherit':
      return t.asAround;
    case 'strength':
      return t.byStrength(certainty ?? 1);
    case 'position':
      return t.byPosition(certainty ?? 1, tagDbm ?? USUAL_TAG_DBM);
  }
}

/** Strength of a tag at 1 m if nothing else is set. */
export const USUAL_TAG_DBM = -55;
