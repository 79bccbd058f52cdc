import { arrayOf, flag, ids } from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import { mandatory, optional } from '../../../base/checks/members.ts';
import { tagValue } from '../../../domain/master-data/tags/new-tag.ts';
import { type Body, checkedBody, jsonBody } from '../../../platform/http/body.ts';
import type { SentSweep } from '../recording/take-sweep.ts';
import { deviceClock, deviceTime, namedLocation, ulidField } from '../wire/fields.ts';

const MOST = 10_000;

const assets = mandatory(ids(MOST));

const location = namedLocation('SweptLocation', 'The swept location, named in one of three ways.');

const MEMBERS = {
  sweep_id: mandatory(ulidField('A ULID made by the device, one for each sweep.')),
  sent_at: mandatory(deviceClock),
  location: mandatory(location),
  began_at: mandatory(deviceTime),
  ended_at: mandatory(deviceTime),
  include_descendants: optional(flag),
  expected: assets,
  found: assets,
  moved_here: assets,
  missing: assets,
  unknown: mandatory(arrayOf(tagValue, { max: MOST })),
};

/** docs/handhelds.md */
export const sweepBody: Body<SentSweep> = checkedBody(
  jsonBody(MEMBERS, {
    title: 'NewSweep',
    description:
      "The outcome of a finished sweep of a location. `expected`, `found`, `moved_here` and `missing` are ids of assets as the device knew them, `unknown` values of tags. The offset of `sent_at` from the gateway's clock is added to `began_at` and `ended_at`. `include_descendants`: whether the locations below were swept, too; false if left out.",
    example: {
      sweep_id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B',
      sent_at: '2026-05-04T08:10:01.000Z',
      location: { external_key: 'DOCK-1' },
      began_at: '2026-05-04T08:00:00.000Z',
      ended_at: '2026-05-04T08:10:00.000Z',
      include_descendants: false,
      expected: [17, 18],
      found: [17],
      moved_here: [21],
      missing: [18],
      unknown: ['E28011600000020912345678'],
    },
  }),
  ({ sweep_id, sent_at, began_at, ended_at, include_descendants, moved_here, ...rest }) =>
    accepted({
      id: sweep_id,
      sentAt: sent_at,
      beganAt: began_at,
      endedAt: ended_at,
      includeDescendants: include_descendants ?? false,
      movedHere: moved_here,
      ...rest,
    }),
);
