import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { buildSite } from './site/build.ts';
import { serveFolder } from './site/serve.ts';

const HELP = `Builds the documentation site and serves it on the loopback interface.

  npm run docs
  npm run docs -- --build --base /project/ --sources https://example.com/acme/project/blob/main

  --build           build only
  --base <path>     the path of the site on its host (default: /)
  --sources <url>   where people see the sources; without it, links into sources are plain text
  --port <number>   where to serve it (default: 4173)
`;

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    build: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
    sources: { type: 'string' },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  const folder = await buildSite({ base: values.base, sources: values.sources });
  console.log(`The site is in ${folder}`);
  if (!values.build) {
    const server = await serveFolder(folder, Number(values.port));
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ (Ctrl-C ends)`);
  }
}
