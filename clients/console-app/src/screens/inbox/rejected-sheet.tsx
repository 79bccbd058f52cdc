import { useState } from 'preact/hooks';
import { Choice } from '../../../../ui/parts/choice.tsx';
import type { ApiError } from '../../api/api-error.ts';
import type { ReplayedReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import type { RejectedWhole, Trial, TriedFormat } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Select } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast, toastRefusal } from '../../parts/toast.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** A message: its reason, its bytes, the reads of each format; with replay and dismiss. */
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
      toastRefusal(t.rejectedAgain);
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
        <p class={message.kind === 'near_miss' ? 'note note-seen' : 'note note-refused'}>
          <ServerText text={message.reason} />
        </p>
        {refused !== null && <ProblemNote problem={refused} />}
        <RejectedFacts message={message} />
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

function RejectedFacts({ message }: { message: RejectedWhole }) {
  const t = texts.value.inbox;
  return (
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
            {message.reader_format !== null && <span class="faint"> {t.readsAs(message.reader_format)}</span>}
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
  );
}

/** The reader's own format if it reads anything now; else the one that reads most. */
function bestOf(formats: readonly TriedFormat[], own: string | null): string | null {
  const ofReader = formats.find(({ format }) => format === own);
  const [best] = formats;
  return ofReader !== undefined && ofReader.scans > 0
    ? own
    : best !== undefined && best.scans > 0
      ? best.format
      : ((ofReader ?? best)?.format ?? null);
}

/** The bytes of a message, shown as text if they are text. Never interpreted as markup. */
function PayloadView({ payload, isText }: { payload: string; isText: boolean }) {
  const t = texts.value.inbox;
  const [as, setAs] = useState<'text' | 'hex'>(isText ? 'text' : 'hex');
  return (
    <section class="stack" aria-label={t.payload}>
      <div class="payload-head">
        <h3>{t.payload}</h3>
        {isText && (
          <Choice
            label={t.showAs}
            options={[
              { value: 'text', word: t.asText },
              { value: 'hex', word: t.asHex },
            ]}
            value={as}
            onChoose={setAs}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can have the focus */}
      <pre class="payload mono" tabIndex={0}>
        {as === 'text' ? payload : hexLines(bytesOf(payload, isText))}
      </pre>
    </section>
  );
}

const PER_LINE = 16;

function bytesOf(payload: string, isText: boolean): Uint8Array {
  return isText
    ? new TextEncoder().encode(payload)
    : Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
}

/** `0000  7b 22 65 70 63 22 …  {"epc"…`, sixteen bytes a line. */
function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const line = [...bytes.subarray(at, at + PER_LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const seen = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${seen}`);
  }
  return lines.join('\n');
}

const SHOWN = 10;

/** The result of one format for the message, with a choice of the others. */
function FormatTrial({
  path,
  formats,
  problem,
  format,
  readerFormat,
  onFormat,
}: {
  path: string;
  formats: readonly TriedFormat[];
  problem: ApiError | null;
  format: string | null;
  readerFormat: string | null;
  onFormat: (format: string) => void;
}) {
  const t = texts.value.inbox;
  const trial = useRead<{ data: Trial }>(
    format === null ? null : `${path}/formats/${encodeURIComponent(format)}`,
  );
  if (problem !== null) {
    return <ProblemNote problem={problem} />;
  }
  if (format === null) {
    return <p class="loading">{texts.value.shell.loading}</p>;
  }
  const found = trial.answer?.data.format === format ? trial.answer.data : undefined;
  return (
    <section class="stack">
      <Select
        label={t.tryFormat}
        options={formats.map((each) => ({
          value: each.format,
          word: `${each.format} · ${t.reads(each.scans)}${each.format === readerFormat ? ` · ${t.ofReader}` : ''}`,
        }))}
        value={format}
        onValue={onFormat}
      />
      <div aria-live="polite">{found !== undefined && <Outcome trial={found} />}</div>
      {found !== undefined && found.scans > 0 && readerFormat !== null && format !== readerFormat && (
        <p class="hint">{t.setFormatHint(format)}</p>
      )}
    </section>
  );
}

function Outcome({ trial: { reads, scans, rejected, ignored, reason } }: { trial: Trial }) {
  const t = texts.value.inbox;
  return (
    <>
      <p>
        <strong>{t.would(scans, rejected, ignored)}</strong>
      </p>
      {reason !== null && (
        <p class="hint">
          <ServerText text={reason} />
        </p>
      )}
      {reads.length > 0 && (
        <ul class="trial-reads">
          {reads.slice(0, SHOWN).map((read, index) => (
            <li key={index}>
              <span class="mono">{read.value}</span>
              <span class="faint">
                {t.port(read.antenna_port)}
                {read.rssi !== null && ` · ${t.dbm(read.rssi)}`}
              </span>
            </li>
          ))}
          {scans > SHOWN && <li class="faint">{t.moreReads(scans - SHOWN)}</li>}
        </ul>
      )}
    </>
  );
}
