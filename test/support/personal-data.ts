import { readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/personal-data.md', import.meta.url);

export interface PersonalColumn {
  /** With its table: `users.email`. */
  name: string;
  /** What `user erase` makes of it. */
  whenErased: string;
}

/** Columns that say something about a person, as docs/personal-data.md has them. */
export function personalColumns(): PersonalColumn[] {
  const rows = readFileSync(PAGE, 'utf8').match(/^\| `.*$/gm) ?? [];
  return rows.flatMap((row) => {
    const [columns = '', , whenErased = ''] = row.split(' | ');
    return [...columns.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name = '']) => ({ name, whenErased }));
  });
}
