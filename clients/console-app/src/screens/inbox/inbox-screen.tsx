import { inboxCounts } from '../../live/inbox-counts.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SectionTabs } from '../../parts/section-tabs.tsx';
import { texts } from '../../texts/texts.ts';
import { RejectedSection } from './rejected-section.tsx';
import { TagsSection } from './tags-section.tsx';

/** `#/inbox/tags?open=rfid:E280…` and `#/inbox/rejected?open=17`: what somebody has to look at. */
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
      {section === 'rejected' ? <RejectedSection /> : <TagsSection />}
    </div>
  );
}
