/** Unpacks the browser that npm brings into `$TMPDIR`, as its package knows no other place. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packed, { inflate } from '@sparticuz/chromium';

await packed.executablePath();
await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))));
const fonts = join(tmpdir(), 'fonts', 'fonts.conf');
writeFileSync(fonts, readFileSync(fonts, 'utf8').replaceAll('/tmp/', `${process.argv[2]}/`));
