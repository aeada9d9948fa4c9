import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The program as processes of its own. */

export const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/**
 * Where such a process runs: it reads the file .env of its folder, and in the folder of the project that is the file of
 * whoever works here.
 */
export const ELSEWHERE = tmpdir()

/** A command that takes longer is stuck. */
const COMMAND_LIMIT_MS = 120_000

/** Runs a command to its end; rejects when it does not exit with 0. */
export const runProgram = (env: Readonly<Record<string, string | undefined>>, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [CLI, ...args], {
    cwd: ELSEWHERE,
    env: { ...env, PATH: process.env.PATH },
    timeout: COMMAND_LIMIT_MS,
  })
