import { keepCompiled, startCompiled } from '../../platform/runtime/compile-cache.ts';

startCompiled();
const { runIngest } = await import('./start.ts');
await runIngest();
keepCompiled();
