import { post, remove } from '../../api/send.ts';
import { type AlikeTag, type Data, TAG_TYPES, type UnknownTag } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { inboxCounts, useKnownCount } from '../../live/inbox-counts.ts';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { SectionTabs } from '../../parts/section-tabs.tsx';
import { Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { Proposals } from '../locating/proposals.tsx';
import { NewLine, useNewCount } from './new-line.tsx';
import { RejectedSection } from './rejected-section.tsx';
import { tagColumns } from './tag-columns.tsx';
import { TagSheet } from './tag-sheet.tsx';

/** `#/inbox/tags?open=rfid:E280…` and `#/inbox/rejected?open=17`: tags and messages that need attention. */
export function InboxScreen({ rest: [section = 'tags'] }: { rest: readonly string[] }) {
  const t = texts.value.inbox;
  const { unknown_tags: tags = 0, rejected = 0 } = inboxCounts.value ?? {};
  return (
    <div class="page">
      <PageHead title={texts.value.screens.inbox} sub={t.sub} />
      <SectionTabs
        label={t.sectionsLabel}
        screen="inbox"
        current={section}
        sections={[
          { path: 'tags', word: t.sections.tags(tags) },
          { path: 'rejected', word: t.sections.rejected(rejected) },
        ]}
      />
      <Proposals />
      <AlikeTags />
      {section === 'rejected' ? <RejectedSection /> : <TagsSection />}
    </div>
  );
}

/** One thing in several notations, each attached to something else: an upgrade found them. */
function AlikeTags() {
  const t = texts.value.inbox;
  const { answer, problem, reload } = useRead<{ data: Data<'GET /alike-tags'> }>('/alike-tags');
  const things = answer?.data ?? [];
  if (things.length === 0 && problem === null) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="alike-tags">
      <h2 id="alike-tags">{t.alike}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <p class="hint">{t.alikeHint}</p>
      {things.map(({ tags }) => (
        <ul key={tags[0]?.id} class="lines">
          {tags.map((tag) => (
            <AlikeLine key={tag.id} tag={tag} onChanged={reload} />
          ))}
        </ul>
      ))}
    </section>
  );
}

function AlikeLine({
  tag: { id, tag_type: type, value, owner },
  onChanged,
}: {
  tag: AlikeTag;
  onChanged: () => void;
}) {
  const t = texts.value.inbox;
  const { run, isBusy, problem } = useAction();
  const tags = `/${owner.type}s/${owner.id}/tags`;
  const detach = async () => {
    await remove(`${tags}/${id}`);
    onChanged();
    toast(t.detached(owner.name), async () => {
      await post(tags, { tag_type: type, value });
      onChanged();
    });
  };
  return (
    <li>
      <div>
        <span class="tag-type">{texts.value.tags.types[type]}</span> <span class="mono">{value}</span>{' '}
        <a class="title" href={href(owner.type === 'asset' ? 'asset' : 'place', owner.id)}>
          {owner.name}
        </a>
        {problem !== null && <ProblemNote problem={problem} />}
      </div>
      {may('operator') && (
        <button
          type="button"
          class="small secondary"
          disabled={isBusy}
          aria-label={t.detachFrom(value, owner.name)}
          onClick={() => void run(detach)}
        >
          {t.detach}
        </button>
      )}
    </li>
  );
}

const FILTERS = ['tag_type', 'reader_id', 'ignored'];

function TagsSection() {
  const t = texts.value.inbox;
  const list = useList<UnknownTag>('/unknown-tags', { filters: FILTERS, sort: '-last_seen_at' });
  const { query } = address.value;
  const asked = Object.fromEntries(['q', ...FILTERS].map((name) => [name, query.get(name)]));
  const isAsked = list.asOf !== undefined && query.get('ignored') === null;
  const count = useNewCount('/unknown-tags', isAsked ? { ...asked, first_seen_after: list.asOf } : null);
  useKnownCount('unknown_tags', list.isFiltered ? undefined : list.total);
  const open = query.get('open');
  const showNew = () => {
    go(hrefWith({ page: null, sort: '-first_seen_at' }));
    list.reload();
  };
  return (
    <>
      <div class="filters">
        <SearchField label={t.searchTags} />
        <Filter
          name="tag_type"
          label={t.type}
          options={[
            { value: '', word: t.allTypes },
            ...TAG_TYPES.map((type) => ({ value: type, word: texts.value.tags.types[type] })),
          ]}
        />
        <Filter
          name="ignored"
          label={t.ignoredFilter.label}
          options={[
            { value: '', word: t.ignoredFilter.no },
            { value: 'true', word: t.ignoredFilter.yes },
          ]}
        />
        <NewLine count={count} text={t.newTags(count)} onShow={showNew} />
      </div>
      <Table
        label={t.tagList}
        list={list}
        columns={tagColumns(texts.value)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefWith({ open: id })}
        isOpen={({ id }) => id === open}
        empty={
          list.isFiltered ? (
            <NothingFound hint={t.noTagFound} allHref={list.allHref} />
          ) : (
            <EmptyState icon="inbox" title={t.noTags} hint={t.noTagsHint}>
              <a class="secondary" href={href('assets')}>
                {texts.value.screens.assets}
              </a>
            </EmptyState>
          )
        }
      />
      {open !== null && (
        <TagSheet
          key={open}
          id={open}
          shown={list.rows.find(({ id }) => id === open)}
          reload={list.reload}
          onClose={() => go(hrefWith({ open: null }))}
        />
      )}
    </>
  );
}
