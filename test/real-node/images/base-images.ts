import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { debianFile } from '../programs/debian.ts';
import type { NodePrograms } from '../programs/programs.ts';
import { createLayout, type Descriptor, type ImageLayout } from './layout.ts';

const execute = promisify(execFile);

const ENVIRONMENT = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/** The image of every sandbox, under the name in the configuration of containerd. */
export const SANDBOX_IMAGE = 'registry.k8s.io/pause:3.10.1';

/** Tags of the web server, each an image of its own, whose page is its tag. */
const WEB_TAGS = ['latest', '1.7.7', '1.7.8', '1.28', '1.29', '1.30'] as const;

/** The first process of a container gets signals only if it handles them. */
const SERVE = 'trap "exit 0" TERM; busybox httpd -f -p 80 -h /www & wait';

/** busybox of Debian with its C library; Debian's busybox without a library crashes when it looks up a host. */
const busyboxFiles = async (folder: string, debian: string): Promise<void> => {
  const library = 'lib/x86_64-linux-gnu';
  for (const part of ['bin', 'etc', 'lib64', library, 'tmp']) await mkdir(join(folder, part), { recursive: true });
  await execute('chmod', ['1777', join(folder, 'tmp')]);
  const loader = 'lib64/ld-linux-x86-64.so.2';
  await copyFile(debianFile(debian, `${library}/${basename(loader)}`), join(folder, loader));
  for (const name of ['libc.so.6', 'libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2'])
    await copyFile(debianFile(debian, join(library, name)), join(folder, library, name));
  const program = debianFile(debian, 'bin/busybox');
  await copyFile(program, join(folder, 'bin/busybox'));
  const { stdout } = await execute(program, ['--list']);
  for (const applet of stdout.trim().split('\n'))
    if (applet !== 'busybox') await symlink('busybox', join(folder, 'bin', applet));
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n');
};

/** Writes stand-ins for the images that the manifests of this repository name: that of nginx serves its own tag. */
export const writeBaseImages = async (layoutFolder: string, { folder, debian }: NodePrograms): Promise<void> => {
  const layout = await createLayout(layoutFolder);
  const staging = join(dirname(layoutFolder), 'staging');
  const staged = async (name: string, fill: (root: string) => Promise<void>): Promise<Descriptor> => {
    const root = join(staging, name);
    await mkdir(root, { recursive: true });
    await fill(root);
    return layout.layer(root);
  };
  const sandbox = await staged('sandbox', async (root) => copyFile(join(folder, 'init'), join(root, 'pause')));
  const pause = { User: '65535:65535', Entrypoint: ['/pause'], Env: ENVIRONMENT };
  await layout.add({ names: [SANDBOX_IMAGE], layers: [sandbox], config: pause });
  const tools = await staged('busybox', async (root) => busyboxFiles(root, debian));
  const busybox = ['latest', '1.35', '1.36'].map((tag) => `docker.io/library/busybox:${tag}`);
  await layout.add({ names: busybox, layers: [tools], config: { Cmd: ['sh'], Env: ENVIRONMENT } });
  for (const tag of WEB_TAGS) await addWebServer(layout, { tag, tools, staged });
  await rm(staging, { recursive: true });
};

interface WebServer {
  readonly tag: string;
  readonly tools: Descriptor;
  readonly staged: (name: string, fill: (root: string) => Promise<void>) => Promise<Descriptor>;
}

const addWebServer = async (layout: ImageLayout, { tag, tools, staged }: WebServer): Promise<void> => {
  const page = await staged(`web-${tag}`, async (root) => {
    await mkdir(join(root, 'www'));
    await writeFile(join(root, 'www/index.html'), `${tag}\n`);
  });
  const config = { Cmd: ['sh', '-c', SERVE], Env: ENVIRONMENT };
  await layout.add({ names: [`docker.io/library/nginx:${tag}`], layers: [tools, page], config });
};
