import { siteConfig } from '../config.ts';

// oxlint-disable-next-line import/no-default-export -- VitePress requires a default export
export default siteConfig();
