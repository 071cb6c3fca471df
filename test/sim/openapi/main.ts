import { writeFile } from 'node:fs/promises';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { readBuiltInTypes } from './read.ts';
import { readMetadataTexts } from './texts.ts';

/** Writes the types of the built-in kinds, as the API server publishes them; one line per definition. */
await using plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
const { source, definitions } = await readBuiltInTypes(plane);
const lines = Object.entries(definitions).map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
const text = `{"source": ${JSON.stringify(source)},\n"definitions": {\n${lines.join(',\n')}\n}}\n`;
await writeFile(new URL('../../../lib/apiserver/builtin/codec/openapi.json', import.meta.url), text);
const texts = JSON.stringify(await readMetadataTexts(plane));
await writeFile(new URL('../../../lib/apiserver/http/discovery/metadata-texts.json', import.meta.url), texts);
