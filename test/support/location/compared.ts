import { expect } from 'chai';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import { Site } from '../../../domain/tracking/location/site.ts';
import { type Seen, statementsOf } from '../../../domain/tracking/location/stated-locations.ts';
import { distinct, type OracleScan, outcomeOf, type World } from '../../../simulation/location/oracle.ts';
import type { Scene } from './scenes.ts';

/** Expects of the product's function what the oracle says. */
export async function expectOraclesStatements({ scans, world }: Scene): Promise<void> {
  const seen = distinct(scans).flatMap((scan) =>
    scan.kind === 'handheld' && scan.isRetracted ? [] : [toSeen(scan)],
  );
  const stated = await statementsOf(seen, toSite(world));
  const { statements, newestPosition } = outcomeOf(scans, world);
  const told = stated.statements.map((each) => ({
    at: each.observedAt,
    locationId: each.locationId,
    rule: each.rule,
    source: each.scan.source,
    tag: `${each.scan.tagType} ${each.scan.tagValue}`,
    position: rounded(each.position),
  }));
  expect(told).to.deep.equal(
    statements.map(({ at, locationId, rule, scan, position }) => ({
      ...{ at, locationId, rule, source: sourceOf(scan) },
      tag: `${scan.tagType} ${scan.tagValue}`,
      position: rounded(position),
    })),
  );
  const newest = stated.positions.at(-1);
  expect(newest === undefined ? null : { at: newest.observedAt, ...rounded(newest) }).to.deep.equal(
    newestPosition === null ? null : { at: newestPosition.at, ...rounded(newestPosition) },
  );
}

/** To the micrometre, as sums may differ in the last bit. */
export function rounded(
  position: { planLocationId: number; x: number; y: number; radius: number } | null,
): { planLocationId: number; x: number; y: number; radius: number } | null {
  const round = (metres: number) => Math.round(metres * 1e6) / 1e6;
  return position === null
    ? null
    : {
        planLocationId: position.planLocationId,
        x: round(position.x),
        y: round(position.y),
        radius: round(position.radius),
      };
}

export function toSite({ parents, settings, antennas, plans }: World): Site {
  return new Site({
    parents,
    antennas,
    settings: settings.map(({ locationId, from, by, certainty, tagDbm, tagKinds }) => ({
      locationId,
      validFrom: from,
      setting:
        by === 'inherit'
          ? by
          : by === 'every'
            ? { procedure: by }
            : by === 'strength'
              ? { procedure: by, certainty }
              : { procedure: by, certainty, tagDbm: tagDbm ?? -55, tagKinds: new Map(tagKinds) },
    })),
    plans: plans.map(({ locationId, outlines, pins }) => ({
      locationId,
      antennas: pins,
      places: outlines.map((outline) => ({
        locationId: outline.locationId,
        corners: outline.corners.map(([x, y]) => ({ x, y })),
      })),
    })),
  });
}

export function toSeen(scan: OracleScan): Seen {
  const rssi = scan.kind === 'read' ? scan.rssi : null;
  const { at, locationId, tagType, tagValue } = scan;
  return {
    ...{ observedAt: at, locationId, rssi },
    scan: { receivedAt: at, tagType, tagValue, rssi, source: sourceOf(scan) },
  };
}

function sourceOf(scan: OracleScan): DecidingScan['source'] {
  return scan.kind === 'read'
    ? { kind: 'reader', readerId: scan.readerId, antenna: scan.antenna }
    : {
        kind: 'handheld',
        handheldId: scan.handheldId,
        submissionId: scan.submissionId,
        index: scan.index,
      };
}
