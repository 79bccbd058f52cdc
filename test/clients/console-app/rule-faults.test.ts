import { expect } from 'chai';
import { ApiError } from '../../../clients/console-app/src/api/api-error.ts';
import { inFormWords } from '../../../clients/console-app/src/screens/rules/rule-faults.ts';
import { useApi } from '../../support/api.ts';
import { Site } from '../../support/site.ts';

describe('what the API refuses of a rule', () => {
  const api = useApi();
  let key: string;
  before(async () => {
    const site = await Site.create(api.database);
    await site.asset('PUMP');
    await site.location('HALL');
    key = await api.keyWith(['rules:admin'], { orgId: site.orgId });
  });

  /** What stands below the fields of the form. */
  async function saidOf(json: object, typed = { assets: '', metadata: '' }): Promise<[string, string][]> {
    const { status, body } = await api.call({ method: 'POST', path: '/api/v1/rules', key, json });
    expect(status).to.equal(400);
    const { type, detail, fields } = body?.error ?? {};
    try {
      await inFormWords(typed, Promise.reject(new ApiError(status, type ?? '', detail ?? '', { fields })));
    } catch (error) {
      return (error as ApiError).fields.map(({ field, message }) => [field, message]);
    }
    return [];
  }

  it('is said in the words of the form, with what was typed', async () => {
    const day = 86_400;
    const places = { location_external_key: 'NONE', within_location_external_key: 'NONE' };
    const hours = { hours: 'always', time_zone: 'UTC' };
    const dwell = { kind: 'dwell', after_seconds: 60, location_external_key: 'HALL' };
    const overdue = { kind: 'overdue', after_seconds: 60 };
    const refused = [
      await saidOf({ kind: 'dwell', name: '', after_seconds: 31 * day, then_seconds: -1 }),
      await saidOf({ kind: 'dwell' }),
      await saidOf({ ...dwell, then_seconds: 60 }),
      await saidOf({ ...dwell, after_seconds: 0 }),
      await saidOf({ kind: 'must_be', ...places, ...hours, mail_to: ['nobody@example.com'] }),
      await saidOf({ kind: 'reader', reader_ids: [7, 8] }),
      await saidOf({ ...overdue, asset_external_keys: ['PUMP', 'NOPE', 'NO'] }),
      await saidOf(
        {
          ...{ ...overdue, asset_external_keys: ['PUMP', 'A_1', 'B.2'] },
          metadata: [
            { path: ['owner'], value: 'ACME' },
            { path: ['x'], value: '' },
          ],
        },
        { assets: 'PUMP, A_1\nB.2', metadata: 'owner=ACME\n\nx' },
      ),
      await saidOf({
        ...{ ...overdue, asset_external_keys: Array(1_001).fill('PUMP') },
        metadata: Array(11).fill({ path: ['owner'], value: 'ACME' }),
      }),
    ];
    const gone = 'The place no longer exists. Choose another.';
    expect(refused).to.deep.equal([
      [
        ['name', 'Give it a name.'],
        ['after_seconds', 'A time can be 30 days at most.'],
        ['then_seconds', 'This time is too short.'],
      ],
      [
        ['after_seconds', 'Enter a time.'],
        ['location_external_key', 'Choose a place.'],
      ],
      [['then_seconds', 'The second time must be longer than the first.']],
      [['after_seconds', 'This time is too short.']],
      [
        [
          'hours',
          'Write working hours as Mon-Fri 07:00-18:00, several with commas between; all day is 00:00-24:00.',
        ],
        ['location_external_key', gone],
        ['within_location_external_key', gone],
        ['mail_to', 'A ticked person is no longer a member. Untick them.'],
      ],
      [['reader_ids', 'A ticked reader was deleted. Untick it.']],
      [['asset_external_keys', 'No asset has the key NOPE, NO.']],
      [
        ['asset_external_keys', 'A key has letters, digits and hyphens only, unlike A_1, B.2.'],
        ['metadata', 'Write path=value, with up to 5 names in the path, and not x.'],
      ],
      [
        ['asset_external_keys', 'Name up to 1,000 assets.'],
        ['metadata', 'Write up to 10 lines.'],
      ],
    ]);
  });
});
