import { useState } from 'preact/hooks';
import type { RejectedWhole, TriedFormat } from '../../api/inbox.ts';
import type { ReplayedReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { FormatTrial } from './format-trial.tsx';
import { PayloadView } from './payload-view.tsx';

/** A message: why it was rejected, its bytes, what each format would make of them; replayed or dismissed. */
export function RejectedSheet({ id, onClose }: { id: number; onClose: () => void }) {
  const t = texts.value.inbox;
  const path = `/rejected/${id}`;
  const { answer, problem, reload } = useRead<{ data: RejectedWhole }>(path);
  const message = answer?.data;
  const isWhole = message !== undefined && message.size_kept === message.size;
  const tried = useRead<{ data: readonly TriedFormat[] }>(isWhole ? `${path}/formats` : null);
  const [picked, setPicked] = useState<string | null>(null);
  const { run, isBusy, problem: refused } = useAction();
  if (message === undefined) {
    return (
      <SideSheet title={t.message} onClose={onClose}>
        {problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </SideSheet>
    );
  }
  const formats = tried.answer?.data ?? [];
  const format = picked ?? bestOf(formats, message.reader_format);
  const isOther = format !== null && format !== message.reader_format;
  const replay = async () => {
    const { data } = await post<{ data: ReplayedReads & { outcome: string } }>(
      `${path}/replay`,
      isOther ? { format } : {},
    );
    if (data.outcome === 'replayed') {
      toast(t.replayed(data));
      onClose();
    } else {
      toast(t.rejectedAgain);
    }
  };
  const dismiss = async (undo: boolean) => {
    await post(`${path}/dismiss`, undo ? { undo } : {});
    toast(undo ? t.listedAgain(t.message) : t.dismissed, () => run(() => dismiss(!undo)));
    onClose();
  };
  const isDismissed = message.dismissed_at !== null;
  const foot = (
    <>
      <button
        type="button"
        class="primary"
        disabled={isBusy || !isWhole || tried.answer === undefined}
        onClick={() => void run(replay)}
      >
        {isOther ? t.replayAs(format) : t.replay}
      </button>
      <button
        type="button"
        class="secondary"
        disabled={isBusy}
        onClick={() => void run(() => dismiss(isDismissed))}
      >
        {isDismissed ? t.listAgain : t.dismiss}
      </button>
    </>
  );
  return (
    <SideSheet
      title={message.reader?.name ?? t.message}
      sub={<span class="mono">{message.topic}</span>}
      onClose={onClose}
      foot={may('operator') && message.replayed_at === null && foot}
    >
      <div class="stack">
        <p class="note note-refused">{message.reason}</p>
        {refused !== null && <ProblemNote problem={refused} />}
        <dl class="facts">
          <dt>{t.received}</dt>
          <dd>
            <Instant at={message.received_at} isLong />
          </dd>
          <dt>{t.size}</dt>
          <dd>{t.bytes(message.size)}</dd>
          {message.reader !== null && (
            <>
              <dt>{t.reader}</dt>
              <dd>
                <a class="inline-link" href={href('readers', message.reader.id)}>
                  {message.reader.name}
                </a>
                {message.reader_format !== null && (
                  <span class="faint"> {t.readsAs(message.reader_format)}</span>
                )}
              </dd>
            </>
          )}
          {message.replayed_at !== null && (
            <>
              <dt>{t.state.replayed}</dt>
              <dd>
                <Instant at={message.replayed_at} isLong />
              </dd>
            </>
          )}
        </dl>
        {isWhole ? (
          <FormatTrial
            path={path}
            formats={formats}
            problem={tried.problem}
            format={format}
            readerFormat={message.reader_format}
            onFormat={setPicked}
          />
        ) : (
          <p class="note note-problem">{t.cutHint(message.size_kept)}</p>
        )}
        <PayloadView payload={message.payload} isText={message.is_text} />
      </div>
    </SideSheet>
  );
}

/** The reader's own, if that reads anything by now; else the one that reads most. */
function bestOf(formats: readonly TriedFormat[], own: string | null): string | null {
  const ofReader = formats.find(({ format }) => format === own);
  const [best] = formats;
  return ofReader !== undefined && ofReader.scans > 0
    ? own
    : best !== undefined && best.scans > 0
      ? best.format
      : ((ofReader ?? best)?.format ?? null);
}
