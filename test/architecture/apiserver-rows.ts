import { celLibrary, type Row, row } from './import-row.ts';

/** The rooms of the API server in memory, each after the rooms that it imports. */
export const apiserverRows: Readonly<Record<string, Row>> = {
  'lib/apiserver/machinery': row(
    '^lib/apiserver/machinery/',
    'types and texts that all rooms share depend on no room',
    {
      rows: ['lib/json', 'lib/kind'],
    },
  ),
  'lib/cel': row(
    '^lib/cel/',
    'rules in CEL are compiled alike at synth and in the API server, without objects or requests',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
      packages: celLibrary,
    },
  ),
  'lib/apiserver/schema': row('^lib/apiserver/schema/', 'validation by a schema is the same for every kind', {
    rows: ['lib/json', 'lib/kind', 'lib/cel', 'lib/apiserver/machinery'],
    builtins: ['net'],
  }),
  'lib/apiserver/apply': row(
    '^lib/apiserver/apply/',
    'field ownership depends on objects and schemas, not on kinds or requests',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
      builtins: ['buffer'],
    },
  ),
  'lib/apiserver/crd': row(
    '^lib/apiserver/crd/',
    'a definition and its kind are hooks for any server, so they import none',
    {
      rows: ['lib/json', 'lib/kind', 'lib/cel', 'lib/apiserver/machinery', 'lib/apiserver/schema'],
    },
  ),
  'lib/apiserver/builtin': row(
    '^lib/apiserver/builtin/',
    'built-in kinds are hooks for any server, and are ported from Go types, not schemas',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
      builtins: ['net'],
    },
  ),
  'lib/apiserver/server': row(
    '^lib/apiserver/server/',
    'the server receives its kinds, and creates only those that definitions define',
    {
      rows: [
        'lib/json',
        'lib/kind',
        'lib/apiserver/machinery',
        'lib/apiserver/schema',
        'lib/apiserver/apply',
        'lib/apiserver/crd',
      ],
      builtins: ['crypto', 'path'],
    },
  ),
  'lib/apiserver/access': row(
    '^lib/apiserver/access/',
    'rights follow from stored objects, whichever server stores them',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
      builtins: ['crypto'],
    },
  ),
  'lib/apiserver/http': row(
    '^lib/apiserver/http/',
    'HTTP for any server: kinds and definitions determine what is served',
    {
      rows: [
        'lib/json',
        'lib/kind',
        'lib/apiserver/machinery',
        'lib/apiserver/access',
        'lib/apiserver/crd',
        'lib/apiserver/builtin',
      ],
      packages: ['yaml'],
      builtins: ['crypto', 'http'],
    },
  ),
};
