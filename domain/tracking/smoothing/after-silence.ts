import type { Neighbourhood } from '../history/revise.ts';
import { asSighting } from './counting.ts';
import type { SmoothingSettings } from './settings.ts';

/**
 * The neighbourhood of scans that smoothing does not bear on. It can still end with one that is smoothed: the next time
 * that the asset was seen, after a silence of more than the widest window, so that it has no rival.
 */
export function afterSilence(
  { spans, stored }: Neighbourhood,
  settings: SmoothingSettings | undefined,
): Neighbourhood {
  if (settings === undefined) {
    return { spans, stored };
  }
  const proven = (sighting: Neighbourhood['spans'][number]['sightings'][number]) => {
    const isByPerson = sighting.scan?.source.kind === 'handheld';
    const isProofAsked = !isByPerson && settings.at(sighting.locationId, sighting.observedAt) !== null;
    return isProofAsked ? asSighting({ scan: { ...sighting, isByPerson }, proof: 'no_rival' }) : sighting;
  };
  return { spans: spans.map((span) => ({ ...span, sightings: span.sightings.map(proven) })), stored };
}
