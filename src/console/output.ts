import type { Writable } from 'node:stream'
import { BrokenPipe } from './failures.ts'

/**
 * Everything a command says. With --json stdout carries JSON alone, one value a line; remarks go to stderr or nowhere.
 */
export type Output = {
  readonly json: boolean
  /** A result: the value as JSON, or the text. Resolves once the reader has taken it. */
  tell(value: unknown, text: string): Promise<void>
  /** A remark for a person. */
  remark(text: string): void
  /** The place of a file that nobody has named; the stdout of this process unless given. */
  readonly stdout?: Writable
}

type Streams = { readonly stdout: Writable; readonly stderr: Writable }

export const createOutput = (json: boolean, { stdout, stderr }: Streams = process): Output => {
  // Without a listener a broken pipe would end the process with a stack; `write` reports it to whoever is writing.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  return {
    json,
    stdout,
    tell: (value, text) => write(stdout, json ? JSON.stringify(value, bigints) : visible(text)),
    remark: (text) => {
      if (!json) stderr.write(`${visible(text)}\n`)
    },
  }
}

/** Positions and amounts are bigints; JSON gets them as text, so that no digit is lost. */
export const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

export const isBrokenPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

const write = (stdout: Writable, line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stdout.write(`${line}\n`, (error) => {
      if (!error) resolve()
      else reject(isBrokenPipe(error) ? new BrokenPipe() : error)
    })
  })

/** Text in an event came from anybody; what a terminal would obey is shown as its code instead. */
const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are looked for.
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

/** Columns wide enough for their longest cell; those in `right` are set to the right. */
export const columns = (rows: readonly (readonly string[])[], right: readonly number[] = []): string => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const pad = (cell: string, at: number) =>
    right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}
