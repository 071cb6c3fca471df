import { siteConfig } from '../config.ts';

// oxlint-disable-next-line import/no-default-export -- VitePress asks for it
export default siteConfig();
