import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, which contains package.json. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

const made = join(repository, 'dist/site');

/** The folders and files into which the parts of the site are written. */
export const siteFolders = {
  /** Markdown with links that work on the site. */
  pages: join(made, 'pages'),
  html: join(made, 'html'),
  cache: join(made, 'cache'),
  /** The table of contents of the API. */
  navigation: join(made, 'api.json'),
} as const;
