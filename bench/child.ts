import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { noted } from './children.ts'

/** A contestant in a process of its own, known by the first line it prints: a JSON object, such as `{"url": "…"}`. */
export type Child<T> = T & { readonly pid: number; stop(): Promise<void> }

const FIRST_LINE_MS = 120_000
const STOP_MS = 15_000

export const startChild = async <T extends object>(
  program: string,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): Promise<Child<T>> => {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  const child = noted(spawn(process.execPath, [...nodeOptions, program, ...args], { stdio }))
  const stop = () => ended(child)
  try {
    return { ...(await firstLine<T>(child, program)), pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const firstLine = <T>(child: ChildProcess, program: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`${program} said nothing within ${FIRST_LINE_MS} ms`)),
      FIRST_LINE_MS,
    )
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)))
    if (!child.stdout) return reject(new Error(`${program} has no output`))
    // Later output is read as well, so that a full pipe does not hold it up.
    createInterface(child.stdout).on('line', (line) => {
      clearTimeout(late)
      if (line.startsWith('{')) resolve(JSON.parse(line) as T)
    })
  })

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    child.once('exit', () => {
      clearTimeout(late)
      resolve()
    })
    child.kill('SIGTERM')
  })
