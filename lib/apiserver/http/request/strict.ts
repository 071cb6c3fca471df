import { LineCounter, parseDocument } from 'yaml';

/** Matches strings, brackets and separators of valid JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

interface TextPosition {
  readonly path: string;
  /** The names of the members so far; absent for a list. */
  readonly names?: Set<string>;
  index: number;
  name: string;
}

const pathIn = ({ path, names, index, name }: TextPosition): string => {
  if (names === undefined) return `${path}[${index}]`;
  return path === '' ? name : `${path}.${name}`;
};

/**
 * Returns the paths of duplicate members in JSON text. For a duplicate member, JSON decoders use the last value.
 *
 * @see sigs.k8s.io/json v0.0.0-20250730193827 internal/golang/encoding/json/kubernetes_patch.go (`checkDuplicateField`)
 */
const duplicatesInJson = (text: string): readonly string[] => {
  const places: TextPosition[] = [];
  const found = new Set<string>();
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const place = places.at(-1);
    if (token === '{' || token === '[') {
      const path = place === undefined ? '' : pathIn(place);
      places.push({ path, index: 0, name: '', ...(token === '{' && { names: new Set<string>() }) });
      isName = token === '{';
    } else if (token === '}' || token === ']') {
      places.pop();
      isName = false;
    } else if (token === ',' && place !== undefined) {
      place.index += 1;
      isName = place.names !== undefined;
    } else if (isName && place?.names !== undefined) {
      place.name = JSON.parse(token) as string;
      if (place.names.has(place.name)) found.add(pathIn(place));
      place.names.add(place.name);
      isName = false;
    }
  }
  return [...found].map((path) => `duplicate field "${path}"`);
};

const nameAt = (text: string, offset: number): string => {
  const [written = ''] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:\n]*)/.exec(text.slice(offset)) ?? [];
  return written.trim().replaceAll(/^["']|["']$/g, '');
};

/** @see go.yaml.in/yaml/v2 v2.4.3 decode.go (`setMap`) */
const duplicatesInYaml = (text: string): readonly string[] => {
  const lines = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter: lines });
  const repeated = errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  if (repeated.length === 0) return [];
  const said = repeated.map(({ pos: [offset] }) => {
    const name = JSON.stringify(nameAt(text, offset));
    return `  line ${lines.linePos(offset).line}: key ${name} already set in map`;
  });
  return [`yaml: unmarshal errors:\n${said.join('\n')}`];
};

/**
 * Returns the problems of duplicate members, with the text of the real server. Only strict validation refuses duplicate members.
 *
 * @param text - valid JSON, or YAML
 */
export const textProblemsIn = (text: string, isYaml: boolean): readonly string[] =>
  isYaml ? duplicatesInYaml(text) : duplicatesInJson(text);
