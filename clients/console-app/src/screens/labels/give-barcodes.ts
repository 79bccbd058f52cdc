import type { WholeImport } from '../../api/import.ts';
import { post } from '../../api/send.ts';
import { noteWrite } from '../../api/writes.ts';
import { go, href } from '../../router/router.ts';
import type { LabelItem } from './label-item.ts';

/** Attaches keys as barcodes, all or none, by an import; if that cannot be, its page says why. */
export async function giveBarcodes(of: 'assets' | 'locations', items: readonly LabelItem[]): Promise<void> {
  const lines = items.map(({ external_key: key }) => `${key},,barcode:${key}\n`);
  const csv = new Blob(['external_key,name,tags\n', ...lines], { type: 'text/csv' });
  const query = new URLSearchParams({ resource: of.slice(0, -1), file_name: 'barcodes.csv' });
  const { data } = await post<{ data: WholeImport }>(`/imports?${query}`, csv);
  const checked = await post<{ data: WholeImport }>(`/imports/${data.id}/check`);
  if (checked.data.outcome?.counts.faulty !== 0) {
    go(href('import', data.id));
    return;
  }
  await post(`/imports/${data.id}/apply`);
  noteWrite(`/${of}`);
}
