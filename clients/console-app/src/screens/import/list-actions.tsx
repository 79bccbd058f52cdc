import { Icon } from '../../../../ui/parts/icon.tsx';
import { organizationId } from '../../api/organization.ts';
import { addressOf } from '../../api/send.ts';
import type { List } from '../../api/use-list.ts';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** Actions on a whole list: import into it; export or label its filtered items. */
export function ListActions({
  resource,
  list: { query },
  picked,
}: {
  resource: 'asset' | 'location';
  list: List<unknown>;
  /** Keys of ticked rows; labels are for these, if any. */
  picked: readonly string[];
}) {
  const t = texts.value.imports;
  return (
    <>
      {may('operator') && (
        <a class="secondary" href={href('import', resource === 'asset' ? {} : { of: resource })}>
          <Icon name="upload" /> {t.import}
        </a>
      )}
      <a
        class="secondary"
        download
        href={addressOf(`/exports/${resource}s`, {
          ...query,
          include_deleted: null,
          separator: texts.value.common.csv.separator,
          organization: organizationId.value,
        })}
      >
        <Icon name="download" /> {t.export}
      </a>
      <a
        class="secondary"
        href={href('labels', {
          of: resource === 'asset' ? null : resource,
          ...(picked.length === 0 ? query : { external_key: picked }),
        })}
      >
        <Icon name="print" /> {texts.value.labels.of(picked.length)}
      </a>
    </>
  );
}
