#!/usr/bin/env node
import { runCommandLine } from './commands/command-line.ts'

/** The command line. Exit codes: 0 fine, 1 found something wrong or failed, 2 misused. */
process.exit(
  await runCommandLine({
    args: process.argv.slice(2),
    stdout: process.stdout,
    stderr: process.stderr,
    signals: process,
  }),
)
