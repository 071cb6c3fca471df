import { writeFile } from 'node:fs/promises';
import openApi from '#lib/apiserver/builtin/codec/openapi.json' with { type: 'json' };
import { goPackages, goText, modulesVersion } from './go-packages.ts';

/**
 * Writes the numbers of the fields of the types that typed clients send in protobuf, as the modules of Kubernetes describe
 * them. The modules have to be in Go's module cache, where a build of the control plane puts them.
 */
const sent = [
  'apiextensions.v1.CustomResourceDefinition',
  'meta.v1.DeleteOptions',
  'authentication.v1.SelfSubjectReview',
  'authentication.v1.TokenRequest',
  'authentication.v1.TokenReview',
  'authorization.v1.LocalSubjectAccessReview',
  'authorization.v1.SelfSubjectAccessReview',
  'authorization.v1.SelfSubjectRulesReview',
  'authorization.v1.SubjectAccessReview',
  'autoscaling.v1.Scale',
  'core.v1.Binding',
  'events.v1.Event',
];

type Field = readonly [name: string, type: string];
type Fields = Record<string, Field>;

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);
const openApiTypes = openApi.definitions as unknown as Readonly<Record<string, { readonly properties?: object }>>;

/** `.k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta` becomes `meta.v1.ObjectMeta`. */
const shortType = (type: string, own: string): string => {
  if (scalars.has(type)) return type;
  const parts = type.replace(/^\./, '').split('.');
  if (parts.length === 1) return `${own}.${type}`;
  const [last = '', before = '', pack = ''] = parts.toReversed();
  return /^v\d/.test(before) ? `${pack}.${before}.${last}` : `${before}.${last}`;
};

/** The keyword in a schema for a field of its message: `$ref`, `x-kubernetes-list-type`. */
const keywordOf = (name: string): string => {
  if (name === 'schema' || name === 'ref') return `$${name}`;
  return name.startsWith('xKubernetes') ? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : name;
};

/**
 * Embedded Go structs have no name in JSON, so they are no property there. Some names begin with a capital letter by
 * mistake.
 */
const nameIn = (message: string, given: string, type: string): string => {
  if (message === 'apiextensions.v1.JSONSchemaProps') return keywordOf(given);
  const { properties } = openApiTypes[message] ?? {};
  const name = `${given.charAt(0).toLowerCase()}${given.slice(1)}`;
  return properties === undefined || Object.hasOwn(properties, name) || scalars.has(type) ? name : '';
};

const messagesIn = (text: string, own: string): readonly (readonly [string, Fields])[] =>
  [...text.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)].map(([, name = '', body = '']) => {
    const message = `${own}.${name}`;
    const fields: Fields = {};
    for (const [, label = '', type = '', field = '', number = ''] of body.matchAll(
      /^ {2}(?:(optional|repeated) )?(map<string, [\w.]+>|[\w.]+) (\w+) = (\d+);/gm,
    )) {
      const [, value] = /^map<string, (.*)>$/.exec(type) ?? [];
      const short = value === undefined ? shortType(type, own) : `map ${shortType(value, own)}`;
      fields[number] = [
        nameIn(message, field, type),
        label === 'repeated' && value === undefined ? `list ${short}` : short,
      ];
    }
    return [message, fields] as const;
  });

const all = new Map<string, Fields>();
for (const own of Object.keys(goPackages)) {
  const text = await goText(own, 'generated.proto');
  for (const [message, fields] of messagesIn(text, own)) all.set(message, fields);
}
const found: Record<string, Fields> = {};
const queue = [...sent, ...Object.keys(openApiTypes).filter((name) => all.has(name))];
for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
  const fields = all.get(name);
  if (fields === undefined || found[name] !== undefined) continue;
  found[name] = fields;
  queue.push(...Object.values(fields).map(([, type]) => type.replace(/^(?:list|map) /, '')));
}
const lines = Object.entries(found)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`);
const text = `{"source": ${JSON.stringify(modulesVersion)},\n"messages": {\n${lines.join(',\n')}\n}}\n`;
await writeFile(new URL('../../../lib/apiserver/http/encoding/protobuf.json', import.meta.url), text);
