import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { noted } from './children.ts'
import { ROOT } from './stage.ts'

/**
 * A process of its own that is asked for one round after the other: a JSON line in, a JSON line out. It ends when its
 * input does.
 */
export type Worker = {
  /** Rejects when the process ends instead of answering, or says nothing for `limitMs`. */
  ask<T extends object>(question: object, limitMs?: number): Promise<T>
  stop(): Promise<void>
}

const ANSWER_MS = 120_000
const STOP_MS = 15_000

/** `program` is a path in the bench folder of `root`, such as `subjects/log.ts`. */
export const startWorker = (
  program: string,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
  root = ROOT,
): Worker => {
  const path = join(root, 'bench', program)
  const child = noted(spawn(process.execPath, [...nodeOptions, path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }))
  const answers = answersOf(child, program)
  return {
    ask: async <T extends object>(question: object, limitMs = ANSWER_MS) => {
      const answer = answers.next(limitMs)
      child.stdin.write(`${JSON.stringify(question)}\n`)
      return (await answer) as T
    },
    stop: () => ended(child),
  }
}

const answersOf = (child: ChildProcess, program: string) => {
  let waiting = { resolve: (_: unknown) => {}, reject: (_: Error) => {} }
  let over: Error | undefined
  const end = (why: string) => {
    over ??= new Error(`${program} ${why}`)
    waiting.reject(over)
  }
  child.once('error', (error) => end(`could not be run: ${error.message}`))
  child.once('exit', (code, signal) => end(`ended with ${code ?? signal}`))
  // A broken pipe is told by the exit of the process.
  child.stdin?.on('error', () => {})
  if (child.stdout)
    createInterface(child.stdout).on('line', (line) => {
      // Libraries may print something of their own.
      if (line.startsWith('{')) waiting.resolve(JSON.parse(line))
    })
  return {
    next: (limitMs: number) =>
      new Promise((resolve, reject) => {
        if (over) return reject(over)
        const late = setTimeout(() => end(`did not answer within ${limitMs} ms`), limitMs)
        const settle =
          <T>(then: (value: T) => void) =>
          (value: T) => {
            clearTimeout(late)
            then(value)
          }
        waiting = { resolve: settle(resolve), reject: settle(reject) }
      }),
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    child.once('exit', () => {
      clearTimeout(late)
      resolve()
    })
    child.stdin?.end()
  })
