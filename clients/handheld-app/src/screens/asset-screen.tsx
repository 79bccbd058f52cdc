import { useEffect } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { openAsset } from '../app/router.ts';
import type { Page } from '../finding/finding.ts';
import type { AssetPage, AssetPresence, Stay } from '../gateway/found-asset.ts';
import { momentOf } from '../parts/titles.ts';
import { texts } from '../texts/texts.ts';
import { SignalFinder } from './signal-finder.tsx';

/** An asset's place, since when, and earlier places. */
export function AssetScreen() {
  const { finding } = useApp();
  const id = openAsset.value;
  useEffect(() => {
    if (id !== null) {
      void finding.lookAt(id);
    }
  }, [id]);
  const page = finding.page.value;
  return (
    <div class="stack asset">
      <button type="button" class="up" onClick={() => history.back()}>
        <Icon name="back" />
        <span>{texts.value.frame.back}</span>
      </button>
      {page.kind === 'asset' && page.asset.id === id ? <Asset page={page} /> : <Nothing page={page} />}
    </div>
  );
}

function Nothing({ page }: { page: Page }) {
  return (
    <>
      <h1>{texts.value.asset.title}</h1>
      <p class="hint" role="status">
        {page.kind === 'gone' && texts.value.asset.gone}
        {page.kind === 'not known' && texts.value.asset.notKnown}
        {(page.kind === 'asking' || page.kind === 'asset') && texts.value.find.looking}
      </p>
    </>
  );
}

function Asset({ page }: { page: Extract<Page, { kind: 'asset' }> }) {
  const { places } = useApp();
  const said = texts.value.asset;
  const { name, external_key, location, since, last_seen, tags, stays, presence } = page.asset;
  // An old position says nothing about now.
  const whether = page.asOf === null && presence ? presenceWords(presence) : null;
  const isThere = whether !== null && presence?.state === 'present';
  const above = location === null ? [] : places.tree.value.ancestors(location.id);
  const earlier = stays?.slice(1) ?? [];
  return (
    <>
      <div>
        <h1 class="asset-name">{name}</h1>
        <p class="mono">{external_key}</p>
      </div>
      <div class={`tag ${isThere ? 'tone-place' : 'tone-empty'}`}>
        <p class="tag-word">
          <Icon name={isThere ? 'place' : 'missing'} />
          {location === null ? said.neverSeen : isThere ? said.isAt : lastAtWords(presence?.state)}
        </p>
        <p class="tag-title">{location?.name ?? said.noScan}</p>
        {location !== null && (
          <>
            <p class="tag-says">{[...above.map((each) => each.name), location.external_key].join(' › ')}</p>
            <p class="tag-says">
              {since !== null && said.since(momentOf(since))}
              {last_seen !== null && last_seen !== since && said.lastSeen(momentOf(last_seen))}
            </p>
          </>
        )}
      </div>
      {whether !== null && <p>{whether}</p>}
      {page.asOf === null && tags.length > 0 && <SignalFinder key={page.asset.id} id={page.asset.id} />}
      {page.asOf !== null && (
        <p class="hint" role="status">
          {page.isAsking ? texts.value.find.looking : said.asOf(momentOf(page.asOf))}
        </p>
      )}
      {stays !== undefined && earlier.length > 0 && (
        <section>
          <h2>{said.before}</h2>
          <ul class="rows">
            {earlier.map((stay) => (
              <StayRow key={stay.arrived_at} stay={stay} />
            ))}
          </ul>
        </section>
      )}
      {tags.length > 0 && <Tags tags={tags} />}
    </>
  );
}

function Tags({ tags }: Pick<AssetPage, 'tags'>) {
  return (
    <section>
      <h2>{texts.value.asset.tags}</h2>
      <ul class="rows">
        {tags.map(({ tag_type, value }) => (
          <li class="row" key={`${tag_type}:${value}`}>
            <span class="row-text mono">
              <span>
                <span class="tag-type">{tag_type}</span> {value}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StayRow({ stay }: { stay: Stay }) {
  return (
    <li class="row">
      <span class="dot dot-plain">
        <Icon name="history" />
      </span>
      <span class="row-text">
        <span class="row-title">{stay.location.name}</span>
        <span class="row-sub row-sub-long">
          {momentOf(stay.arrived_at)}
          {stay.left_at !== null && texts.value.asset.to(momentOf(stay.left_at))}
        </span>
      </span>
    </li>
  );
}

/** For the heading if it may be gone, or nothing says that it is there. */
function lastAtWords(state: string | undefined): string {
  const { lastAt } = texts.value.asset;
  return state !== undefined && Object.hasOwn(lastAt, state)
    ? lastAt[state as keyof typeof lastAt]
    : lastAt.seen;
}

/** Whether an asset is still there, and why, in words; null of a state that this app does not know. */
function presenceWords(presence: AssetPresence): string | null {
  const said = texts.value.asset.presence;
  const since = presence.state_since === null ? '' : said.since(momentOf(presence.state_since));
  switch (presence.state) {
    case 'present':
      return said.present;
    case 'overdue':
      return said.overdue(since);
    case 'missing':
      return presence.is_by_sweep ? said.missedBySweep(since) : said.missing(since);
    case 'unknown':
      return presence.reader_name === null
        ? said.unknown(since)
        : said.notListening(since, presence.reader_name);
    default:
      return null;
  }
}
