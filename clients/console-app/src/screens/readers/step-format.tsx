import { useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { type Arrivals, NO_FORMAT, type Reader, type RecognizedFormat } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, hrefWith, leaveFor } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FormatEditor } from './format-editor.tsx';

/** Formats that come to nothing are shown only if asked for. */
const SHOWN = 3;

/**
 * The format: recognized by trying all on the last messages, or written. Kept messages wait for the antennas' places.
 */
export function StepFormat({ reader, onNext }: { reader: Reader; onNext: () => void }) {
  const t = texts.value.readers;
  const { answer, problem, reload } = useRead<{ data: Arrivals }>(`/readers/${reader.id}/arrivals`);
  const [isAll, setAll] = useState(false);
  const choosing = useAction();
  const choose = (format: string) =>
    choosing.run(async () => {
      await patch(`/readers/${reader.id}`, { format });
      toast(t.formatChosen(format));
    });
  const formats = answer?.data.formats ?? [];
  const open = answer?.data.open ?? 0;
  const hasFormat = reader.format !== NO_FORMAT;
  const good = formats.filter(({ reads }) => reads > 0);
  const shown = isAll ? formats : good.slice(0, SHOWN);
  const sample = answer?.data.messages[0];
  const write = address.value.query.get('write');
  if (write !== null) {
    return (
      <FormatEditor
        from={write}
        sample={sample}
        onClose={() => go(hrefWith({ write: null }))}
        onSaved={(name) => void choose(name).then(() => leaveFor(hrefWith({ write: null })))}
      />
    );
  }
  return (
    <section class="card stack" aria-label={t.steps.format}>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {choosing.problem !== null && <ProblemNote problem={choosing.problem} />}
      {answer !== undefined && sample === undefined && <p class="hint">{t.nothingToTry}</p>}
      {sample !== undefined && <p class="hint">{good.length > 0 ? t.recognized : t.notRecognized}</p>}
      <ul class="recognized">
        {shown.map((each, index) => (
          <Recognized
            key={each.format}
            recognized={each}
            isBest={index === 0 && each.reads > 0}
            isNext={index === 0 && each.reads > 0 && !hasFormat}
            isChosen={each.format === reader.format}
            isBusy={choosing.isBusy}
            onChoose={() => void choose(each.format)}
          />
        ))}
      </ul>
      <div class="buttons">
        {formats.length > shown.length && (
          <button type="button" class="secondary" onClick={() => setAll(true)}>
            {t.allFormats(formats.length)}
          </button>
        )}
        <a class="secondary" href={hrefWith({ write: good[0]?.format ?? 'tagtrail' })}>
          {t.writeFormat}
        </a>
      </div>
      {open > 0 && hasFormat && <p class="note note-seen">{t.replayLater(open)}</p>}
      <div class="buttons">
        <button type="button" class={hasFormat ? 'primary' : 'secondary'} onClick={onNext}>
          {hasFormat ? t.toAntennas : t.toAntennasLater}
        </button>
      </div>
    </section>
  );
}

function Recognized({
  recognized,
  isBest,
  isNext,
  isChosen,
  isBusy,
  onChoose,
}: {
  recognized: RecognizedFormat;
  isBest: boolean;
  /** Choosing it is the next step. */
  isNext: boolean;
  isChosen: boolean;
  isBusy: boolean;
  onChoose: () => void;
}) {
  const t = texts.value.readers;
  const { format, reads, rejected, messages_rejected, ignored, example, reason } = recognized;
  return (
    <li>
      <div>
        <p class="with-badge">
          <strong class="mono">{format}</strong>
          {isBest && <Badge tone="moved">{t.likeliest}</Badge>}
          {isChosen && <Badge tone="seen">{t.chosen}</Badge>}
        </p>
        <p class="hint">{t.wouldRead(reads, rejected + messages_rejected, ignored)}</p>
        {example !== null && (
          <p class="hint">
            {t.forExample} <span class="mono">{example.value}</span>, {t.antenna(example.antenna)}
            {example.rssi !== null && `, ${t.dbm(example.rssi)}`}
          </p>
        )}
        {reads === 0 && reason !== null && (
          <p class="hint">
            <ServerText text={reason} />
          </p>
        )}
      </div>
      {!isChosen && (
        <button
          type="button"
          class={isNext ? 'primary' : 'secondary'}
          disabled={isBusy}
          aria-label={t.chooseFormat(format)}
          onClick={onChoose}
        >
          {t.choose}
        </button>
      )}
    </li>
  );
}
