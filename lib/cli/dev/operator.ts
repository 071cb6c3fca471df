/** The process of an operator that `dev` starts. */
import { keepCompiled } from '../compile-cache.ts';

keepCompiled();
const { serveDev } = await import('./serve.ts');
await serveDev();
