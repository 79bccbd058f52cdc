import { keepCompiled, startCompiled } from '../shared/runtime/compile-cache.ts';

startCompiled();
await import('./run.ts');
keepCompiled();
