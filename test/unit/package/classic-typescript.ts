import { join } from 'node:path';
import ts from 'typescript-5';

/** The result of a compilation. */
export interface Compilation {
  /** Errors in files of the project and of the package, each with its position. */
  readonly problems: readonly string[];
}

interface CompileOptions {
  /** The entry files. */
  readonly files: readonly string[];
  /**
   * Whether errors in the types of packages are reported as well, as by `tsc` without `skipLibCheck`. The types of TypeBox
   * alone take 20 s.
   */
  readonly everything: boolean;
}

const settingsOf = (project: string): ts.CompilerOptions => {
  const path = join(project, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(path, (file) => ts.sys.readFile(file));
  if (error !== undefined) throw new TypeError(`Cannot read ${path}: ${JSON.stringify(error.messageText)}`);
  // The path determines where global types are found; the default is the working directory of the tests.
  return ts.parseJsonConfigFileContent(config, ts.sys, project, undefined, path).options;
};

const wordsOf = ({ file, start, messageText }: ts.Diagnostic): string => {
  const { line } = file?.getLineAndCharacterOfPosition(start ?? 0) ?? { line: 0 };
  return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
};

/**
 * Compiles a project by its `tsconfig.json` with TypeScript 5, which the template of `cdk8s init` installs: TypeScript
 * 7 has dropped the classic resolution that the template relies on. Output is written into the folders of the sources.
 */
export const compileClassically = (project: string, { files, everything }: CompileOptions): Compilation => {
  const names = files.map((file) => join(project, file));
  const program = ts.createProgram(names, settingsOf(project));
  const ours = (name: string): boolean => names.includes(name) || name.includes('/node_modules/cdk8s-reconcile/');
  const judged = program.getSourceFiles().filter(({ fileName }) => everything || ours(fileName));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...judged.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  // `noEmitOnError` of the template would check everything.
  for (const name of names) {
    const { outputText } = ts.transpileModule(program.getSourceFile(name)?.text ?? '', {
      compilerOptions: program.getCompilerOptions(),
      fileName: name,
    });
    ts.sys.writeFile(name.replace(/\.ts$/, '.js'), outputText);
  }
  return { problems: found.map(wordsOf) };
};
