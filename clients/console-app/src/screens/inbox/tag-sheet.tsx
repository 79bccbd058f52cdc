import type { AttachedTag, UnknownTag } from '../../api/inbox.ts';
import { post, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AttachPicker, type Pick } from './attach-picker.tsx';
import { IgnoreButton } from './ignore-button.tsx';
import { Strength } from './strength.tsx';
import { LastRead } from './tag-columns.tsx';

/** `shown` is the row in the list; a link may lead to one that is on another page of it. */
export function TagSheet({
  id,
  shown,
  reload,
  onClose,
}: {
  id: string;
  shown: UnknownTag | undefined;
  reload: () => void;
  onClose: () => void;
}) {
  const t = texts.value.inbox;
  const value = id.slice(id.indexOf(':') + 1);
  const { answer, problem } = useRead<{ data: readonly UnknownTag[] }>(
    shown === undefined ? '/unknown-tags' : null,
    { q: value },
  );
  const tag = shown ?? answer?.data.find((each) => each.id === id);
  const { run, isBusy, problem: refused } = useAction();

  const attach = async (pick: Pick) => {
    if (pick.kind === 'new') {
      await post('/assets', { name: pick.name, tags: [{ tag_type: tag?.tag_type, value }] });
      end(t.madeAsset(pick.name));
      return;
    }
    const path = `/unknown-tags/${encodeURIComponent(id)}/attach`;
    const { data } = await post<{ data: AttachedTag }>(path, { [`${pick.kind}_id`]: pick.id });
    end(t.attached(data.name), async () => {
      await remove(`/${data.to}s/${data.id}/tags/${data.tag_id}`);
      toast(t.detachedAgain(data.name));
      reload();
    });
  };
  const end = (text: string, undo?: () => unknown) => {
    onClose();
    reload();
    toast(text, undo);
  };

  return (
    <SideSheet
      title={value}
      sub={texts.value.tags.types[tag?.tag_type ?? 'rfid']}
      onClose={onClose}
      foot={
        tag !== undefined && may('operator') && <IgnoreButton tag={tag} class="danger" onDone={onClose} />
      }
    >
      <div class="stack">
        {problem !== null && <ProblemNote problem={problem} />}
        {tag === undefined && answer !== undefined && <p class="hint">{t.tagGone}</p>}
        {tag !== undefined && (
          <>
            {may('operator') && (
              <AttachPicker isBusy={isBusy} onPick={(pick) => void run(() => attach(pick))} />
            )}
            {refused !== null && <ProblemNote problem={refused} />}
            {tag.is_ambiguous && <p class="note note-problem">{t.ambiguousHint}</p>}
            <Facts tag={tag} />
          </>
        )}
      </div>
    </SideSheet>
  );
}

function Facts({ tag }: { tag: UnknownTag }) {
  const t = texts.value.inbox;
  const facts = [
    [t.strength, <Strength rssi={tag.last_read.rssi} />],
    [t.count, t.number(tag.count)],
    [t.lastSeen, <Instant at={tag.last_seen_at} />],
    [t.firstSeen, <Instant at={tag.first_seen_at} />],
    [t.readBy, <LastRead read={tag.last_read} t={t} />],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(([term, fact]) => (
        <>
          <dt>{term}</dt>
          <dd>{fact}</dd>
        </>
      ))}
    </dl>
  );
}
