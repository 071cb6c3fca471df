import process from 'node:process';
import { reportImports } from './import-report.ts';

const { text, failed } = await reportImports(process.cwd());
process.stdout.write(`${text}\n`);
process.exitCode = failed ? 1 : 0;
