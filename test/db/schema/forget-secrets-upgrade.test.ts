import { expect } from 'chai';
import { useEarlierDatabase } from '../../support/earlier-database.ts';

const SECRET = 'aB3-_'.repeat(8).concat('xyz');
const MASKED = '*'.repeat(43);

describe('the migration that forgets secrets which were kept as tags', () => {
  const earlier = useEarlierDatabase('0013-forget-secrets');

  it('takes them out of unknown tags, rejected messages and answers, and leaves the rest as it was', async () => {
    const token = `th_12_${SECRET}`;
    const bytes = Buffer.concat([
      Buffer.from([0, 0xff, 0x5c]),
      Buffer.from(`"${token}"`),
      Buffer.from([0xfe, 0x5c]),
    ]);
    await earlier.client.query(`insert into organizations (name) values ('First')`);
    await earlier.client.query(
      `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen)
       select 1, 'barcode', value, value, false, 1, now(), now() from unnest($1::text[]) as value`,
      [[token, `tt_01KQSB3M8R0E5T9V2W4X6Y8Z1A_${SECRET}`, token.toUpperCase(), 'th_12', 'E280', 'PATH_1_A']],
    );
    await earlier.client.query(
      `insert into rejected_messages (org_id, topic, reason, received_at, payload, bytes, payload_sha256, is_whole)
       select 1, 'dock', reason, now(), payload, 1, sha256(payload), true
       from unnest($1::text[], $2::bytea[]) as message (reason, payload)`,
      [
        [`value "${token}" is bad`, 'no JSON', 'no JSON'],
        [Buffer.from('x'), bytes, Buffer.from([0, 0xff, 0x5c])],
      ],
    );
    const handheld = await earlier.client.query(
      `insert into handhelds (org_id, name, token_sha256) values (1, 'gun', sha256('x')) returning id`,
    );
    await earlier.client.query(
      `insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
       select 1, id, $1, sha256('x'), now(), answer::json
       from unnest($2::text[], $3::text[]) as stored (id, answer)`,
      [handheld.rows[0].id, ['A', 'B'], [`{"results":[{"value":"${token}"}]}`, '{"results": [ ]}']],
    );

    await earlier.migrateOnce();

    const values = await earlier.client.query('select value from unknown_tags order by value');
    expect(values.rows.map(({ value }) => value)).to.deep.equal(['E280', 'PATH_1_A', 'th_12']);
    const messages = await earlier.client.query('select reason, payload from rejected_messages order by id');
    expect(messages.rows).to.deep.equal([
      { reason: `value "th_12_${MASKED}" is bad`, payload: Buffer.from('x') },
      {
        reason: 'no JSON',
        payload: Buffer.from(bytes.toString('latin1').replace(SECRET, MASKED), 'latin1'),
      },
      { reason: 'no JSON', payload: Buffer.from([0, 0xff, 0x5c]) },
    ]);
    const answers = await earlier.client.query('select answer::text from submissions order by id');
    expect(answers.rows.map(({ answer }) => answer)).to.deep.equal([
      `{"results":[{"value":"th_12_${MASKED}"}]}`,
      '{"results": [ ]}',
    ]);
  });
});
