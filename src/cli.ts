#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The command line. Exit codes: 0 fine, 1 found something wrong or failed, 2 misused. */

// What was compiled once is not compiled again at the next start. It lies beside the packages, where only who installs
// them can write; in a folder that all users share, one could put code there for another. daybook.js has done this
// already, for whoever begins there.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/daybook', import.meta.url)))
const { runCommandLine } = await import('./commands/command-line.ts')

process.exit(
  await runCommandLine({
    args: process.argv.slice(2),
    stdout: process.stdout,
    stderr: process.stderr,
    signals: process,
  }),
)
