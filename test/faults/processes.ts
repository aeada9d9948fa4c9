/** Processes that faults are done to, each under a supervisor: what ends by itself is started again, and counted. */
import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CLI, ELSEWHERE } from '../support/program.ts'

export type Supervised = {
  /** Starts it, if it does not run, and does not wait until it can be used. */
  launch(): void
  /** Resolves once it can be used. */
  ready(): Promise<void>
  /** Ends it without a word, as a power cut would; it is not started again before `launch`. */
  kill(): Promise<void>
  stop(): Promise<void>
  pid(): number
  /** How often it ended by itself. */
  fell(): number
  /** What it wrote last. */
  words(): string
}

export type Environment = Readonly<Record<string, string | undefined>>

const READY_MS = 120_000
const LOOK_AGAIN_MS = 40
const FALL_PAUSE_MS = 200
const WORDS_MAX_CHARS = 4_000
/** A start then costs two thirds of what it does without. */
const COMPILED = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'daybook-faults')

/** The service itself. `nodeArgs` come before its own. */
export const superviseService = (env: Environment, nodeArgs: readonly string[] = []): Supervised =>
  supervise([...nodeArgs, CLI, 'serve'], env, () => answersReady(`http://localhost:${env.PORT}`))

/** The log behind EventStoreDB's protocol. */
export const superviseStore = (file: string, port: number): Supervised =>
  supervise([join(import.meta.dirname, 'store-server.ts'), file, `127.0.0.1:${port}`], {}, () => accepts(port))

const supervise = (args: readonly string[], env: Environment, usable: () => Promise<boolean>): Supervised => {
  let child: ChildProcess | undefined
  let wanted = false
  let falls = 0
  let words = ''
  const launch = () => {
    wanted = true
    if (child) return
    const started = spawn(process.execPath, args, {
      cwd: ELSEWHERE,
      env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const alone = () => started.kill('SIGKILL')
    process.once('exit', alone)
    const hear = (text: Buffer) => (words = (words + text).slice(-WORDS_MAX_CHARS))
    started.stdout.on('data', hear)
    started.stderr.on('data', hear)
    started.once('exit', () => {
      process.off('exit', alone)
      child = undefined
      if (!wanted) return
      falls++
      setTimeout(() => wanted && launch(), FALL_PAUSE_MS)
    })
  }
  const end = (signal: NodeJS.Signals) => {
    wanted = false
    return ended(child, signal)
  }
  return {
    launch,
    async ready() {
      const until = Date.now() + READY_MS
      while (!(await usable())) {
        if (Date.now() > until) throw new Error(`${args.join(' ')} was not ready within ${READY_MS} ms:\n${words}`)
        await pause(LOOK_AGAIN_MS)
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pid: () => child?.pid ?? 0,
    fell: () => falls,
    words: () => words,
  }
}

const answersReady = (origin: string) =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(5_000) })
    .then(async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    })
    .catch(() => false)

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })

const ended = (child: ChildProcess | undefined, signal: NodeJS.Signals) =>
  new Promise<void>((resolve) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill(signal)
  })
