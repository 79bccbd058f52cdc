import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { milliseconds } from '../encoders/encoder.ts';
import { assignTroubles, type FaultPlan, type Trouble } from '../faults.ts';
import { antennaAt, isPortal, type Site, stopsOf } from '../site.ts';
import type { PresenceDocument, ReaderTroubles, SiteRules } from '../truth/presence-document.ts';
import type { Whereabouts } from '../truth/whereabouts.ts';

export interface WatchedRun {
  site: Site;
  assets: readonly { key: string }[];
  whereabouts: Whereabouts;
  faults: FaultPlan;
  watch: { maxGap: Micros; expected: Micros; reread: Micros };
  rules: SiteRules;
  from: Micros;
  until: Micros;
}

export function presenceDocument(run: WatchedRun): PresenceDocument {
  const { site, assets, whereabouts, faults, watch, rules, from, until } = run;
  const troubles = assignTroubles(site.readers, faults);
  return {
    from: milliseconds(from),
    until: milliseconds(until),
    max_gap_seconds: watch.maxGap / MICROS_PER_SECOND,
    expected_seconds: watch.expected / MICROS_PER_SECOND,
    reread_seconds: watch.reread / MICROS_PER_SECOND,
    continuous: stopsOf(site)
      .filter((stop) => !isPortal(stop))
      .map(({ key }) => ({ location: key, reader: antennaAt(site, key).reader.name })),
    rules,
    assets: assets.map(({ key }) => ({
      asset: key,
      taken_at: orNull(whereabouts.takenAt(key)),
      there: whereabouts.staysOf(key).map((stay) => ({
        location: stay.location,
        from: milliseconds(stay.from),
        until: orNull(stay.until),
      })),
    })),
    readers: [...troubles].map(([{ name }, trouble]) => ({
      reader: name,
      clock_ahead_seconds: trouble.clockOffset / MICROS_PER_SECOND,
      down: downOf(trouble, from).filter((down) => down.from <= milliseconds(until)),
    })),
  };
}

function downOf({ outage, deathAt, silences }: Trouble, begun: Micros): ReaderTroubles['down'] {
  const at = (elapsed: Micros) => milliseconds(Math.floor(begun + elapsed));
  return [
    ...(outage === null ? [] : [{ from: at(outage.from), until: at(outage.to), kept: true }]),
    ...silences.map(({ from, to }) => ({ from: at(from), until: at(to), kept: false })),
    ...(deathAt === null ? [] : [{ from: at(deathAt), until: null, kept: false }]),
  ];
}

function orNull(at: Micros | null): string | null {
  return at === null ? null : milliseconds(at);
}
