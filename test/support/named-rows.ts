import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { invite } from '../../domain/administration/users/links/make-link.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';
import type { People } from './people.ts';
import { Site } from './site.ts';

/** What stands in the paths of the console's routes, by the placeholder's name. */
export type Ids = Readonly<Record<string, string | number>>;

/** An organization with one row of each kind that a path can name; whatever is text says `secret`. */
export async function makeNamedRows(
  database: TestDatabase,
  people: People,
  secret: string,
): Promise<{ orgId: number; ids: Ids }> {
  const site = await Site.create(database, secret);
  const { orgId } = site;
  const location = await site.location(secret);
  const asset = await site.asset(`${secret}-ASSET`);
  const retired = await site.asset(`${secret}-RETIRED`);
  await database.rows('update assets set deleted_at = now() where org_id = $1 and id = $2', [orgId, retired]);
  const retiredLocation = await site.location(`${secret}-RETIRED`);
  await database.rows('update locations set deleted_at = now() where id = $1', [retiredLocation]);
  const reader = await site.reader(secret, [location]);
  const unknown = `E281${orgId}`;
  const owner = databaseOn(database.pool);
  const rule = await createRule(owner, TEST_ACTOR, Date.now() * 1_000, {
    ...{ orgId, kind: 'not_allowed', name: secret, locationExternalKey: secret },
  });
  const handheld = await createHandheld(owner, TEST_ACTOR, { orgId, name: secret });
  await invite(people.db, TEST_ACTOR, {
    ...{ orgId, email: `invited.${orgId}@example.com`, role: 'viewer' },
  });
  const { userId } = await people.user(`member.${orgId}@example.com`, { orgId, role: 'viewer' });
  const idOf = async (insert: string, ...values: unknown[]) => {
    const [row] = await database.rows<{ id: number | string }>(`${insert} returning id`, [
      orgId,
      secret,
      ...values,
    ]);
    return row?.id ?? 0;
  };
  await database.rows(
    `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen)
     values ($1, 'rfid', $2, $2, false, 1, now(), now())`,
    [orgId, unknown],
  );
  return {
    orgId,
    ids: {
      ...{
        id: orgId,
        asset_id: asset,
        retired_asset_id: retired,
        location_id: location,
        retired_location_id: retiredLocation,
        reader_id: reader,
        port: 1,
        user_id: userId,
      },
      ...{ rule_id: rule.id, handheld_id: handheld.id, unknown_tag_id: `rfid:${unknown}` },
      // Formats are of the installation.
      ...{ name: 'none', format: 'tagtrail' },
      tag_id: await site.tag({ assetId: asset }, `E280${orgId}`),
      plan_id: await idOf(
        `insert into plans (org_id, name, media_type, width, height, image, sha256)
         values ($1, $2, 'image/png', 1, 1, '\\x00', sha256('x'))`,
      ),
      photo_id: (
        await database.rows<{ id: number }>(
          `insert into asset_photos (org_id, asset_id, media_type, width, height, image, sha256)
           values ($1, $2, 'image/png', 1, 1, '\\x00', sha256('x')) returning asset_id as id`,
          [orgId, asset],
        )
      )[0]?.id as number,
      printer: (
        await database.rows<{ name: string }>(
          `insert into printers (org_id, name, address) values ($1, $2, '192.0.2.1:9100') returning name`,
          // Paths, which bear the name, are shown to whoever sent them.
          [orgId, `printer-${orgId}`],
        )
      )[0]?.name as string,
      alert_id: await idOf(
        `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, because)
         values ($1::integer, lpad($1::integer::text, 26, '0'), $3, now(), $2, 'not_allowed', $4, $5, now(), '{}')`,
        ...[rule.id, asset, location],
      ),
      webhook_id: await idOf(
        `insert into webhooks (org_id, name, url) values ($1, $2, 'https://example.com/')`,
      ),
      key_id: await idOf(
        `insert into api_keys (org_id, id, name, scopes, secret_sha256)
         values ($1::integer, lpad($1::integer::text, 26, '0'), $2, '{}', sha256('x'))`,
      ),
      rejected_id: await idOf(
        `insert into rejected_messages (org_id, topic, reason, received_at, bytes, payload, payload_sha256)
         values ($1, $2, 'no JSON', now(), 1, 'x', sha256('x'))`,
      ),
      // Not begun yet, so that it can be removed.
      setting_id: await idOf(
        `insert into location_settings (org_id, location_id, valid_from, procedure)
         select $1, id, now() + interval '30 days', 'every' from locations where org_id = $1 and external_key = $2`,
      ),
      import_id: await idOf(
        `insert into imports (org_id, resource, file_name, bytes, user_id) values ($1, 'asset', $2, 1, '1')`,
      ),
      invitation_id:
        (
          await database.rows<{ id: number }>(
            `select id::integer from user_links where org_id = $1 and purpose = 'invite'`,
            [orgId],
          )
        )[0]?.id ?? 0,
    },
  };
}
