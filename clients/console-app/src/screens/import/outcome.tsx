import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ImportKind, ImportOutcome } from '../../api/import.ts';
import { address, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FaultTable } from './fault-table.tsx';
import { RowTable } from './row-table.tsx';

type Part = ImportKind | 'faulty';

const PARTS: readonly Part[] = ['faulty', 'created', 'updated', 'unchanged'];

/** `?show=updated`: how many rows are new, changed, unchanged and faulty, and the first of those chosen. */
export function Outcome({ outcome, isApplied }: { outcome: ImportOutcome; isApplied: boolean }) {
  const t = texts.value.imports;
  const { counts, shown } = outcome;
  const there = PARTS.filter((part) => counts[part] > 0);
  const asked = address.value.query.get('show');
  const current = there.find((part) => part === asked) ?? there[0];
  if (current === undefined) {
    return <p class="hint">{t.noRows}</p>;
  }
  return (
    <>
      {counts.faulty > 0 && (
        <div class="note note-refused" role="alert">
          <Icon name="alert" />
          <p>{t.isFaulty(counts.faulty)}</p>
        </div>
      )}
      {!isApplied && counts.faulty === 0 && counts.created + counts.updated === 0 && (
        <div class="note note-seen" role="status">
          <Icon name="check" />
          <p>{t.nothingChanges}</p>
        </div>
      )}
      <nav class="import-counts" aria-label={t.counts}>
        {PARTS.map((part) => (
          <a
            key={part}
            class={`import-count import-${part}`}
            aria-current={part === current ? 'true' : undefined}
            {...(counts[part] === 0 ? { 'aria-disabled': 'true' } : { href: hrefWith({ show: part }) })}
          >
            <strong>{counts[part].toLocaleString()}</strong>
            <span>{t.parts[part]}</span>
          </a>
        ))}
      </nav>
      {(outcome.respelled ?? []).map(({ line, tag, as }) => (
        <p class="hint" key={`${line} ${tag}`}>
          {t.respelled(line, tag, as)}
        </p>
      ))}
      {current === 'faulty' ? (
        <FaultTable outcome={outcome} />
      ) : (
        <RowTable title={t.parts[current]} rows={shown[current]} count={counts[current]} />
      )}
    </>
  );
}
