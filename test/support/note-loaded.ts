import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Brought into a process by NODE_OPTIONS, notes what that loads: when it ends, the packages are in the file LOADED_FILE, and
 * those parts of Node.js itself that stand for more than themselves.
 */
const packages = new Set<string>();

registerHooks({
  load: (url, context, next) => {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    if (name !== undefined) {
      packages.add(name);
    }
    return next(url, context);
  },
});

process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
  const ofNode = moduleLoadList.some((name) => name.endsWith('internal/deps/undici/undici'))
    ? ['undici']
    : [];
  writeFileSync(process.env['LOADED_FILE'] ?? '', JSON.stringify([...packages, ...ofNode].toSorted()));
});
