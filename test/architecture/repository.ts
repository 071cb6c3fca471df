import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));
