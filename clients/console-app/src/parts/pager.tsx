import { Icon } from '../../../ui/parts/icon.tsx';
import type { List } from '../api/use-list.ts';
import { texts } from '../texts/texts.ts';

export function Pager<Row>({ list }: { list: List<Row> }) {
  const { offset, limit, total = 0, rows } = list;
  const t = texts.value.common;
  const isFirst = offset === 0;
  const isLast = offset + limit >= total;
  return (
    <nav class="pager" aria-label={t.pages}>
      <p>{total === 0 ? '' : t.range(offset + 1, offset + rows.length, total)}</p>
      {!(isFirst && isLast) && (
        <div class="buttons">
          <Step label={t.previousPage} icon="back" to={isFirst ? null : list.pageHref(offset - limit)} />
          <Step label={t.nextPage} icon="forward" to={isLast ? null : list.pageHref(offset + limit)} />
        </div>
      )}
    </nav>
  );
}

function Step({ label, icon, to }: { label: string; icon: 'back' | 'forward'; to: string | null }) {
  return to === null ? (
    <span class="quiet is-off" aria-hidden="true">
      <Icon name={icon} />
    </span>
  ) : (
    <a class="quiet" href={to} aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}
