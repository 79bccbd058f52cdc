import { keepCompiled, startCompiled } from '../../platform/runtime/compile-cache.ts';

startCompiled();
const { runApi } = await import('./start.ts');
await runApi();
keepCompiled();
