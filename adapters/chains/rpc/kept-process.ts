/** A program that runs beside this process and never outlives it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export type KeptProcess = {
  hasEnded(): boolean
  /** Asks it to end, and resolves once it is gone. Safe to call twice. */
  stop(): Promise<void>
}

/**
 * Starts a program without input and output. It is killed when it does not end within the limit after it was asked to.
 */
export const keepProcess = (program: string, args: readonly string[], stopLimitMs: number): KeptProcess => {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'sh', program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  })
  // The pipe is there only to be closed; a shell that is gone already must not make that an uncaught error.
  keeper.stdin?.on('error', () => undefined)
  const ended = once(keeper, 'exit').then(() => keeper.stdin?.destroy())
  const end = async () => {
    keeper.stdin?.end()
    const late = await Promise.race([ended, delay(stopLimitMs, 'late', { ref: false })])
    if (late !== 'late' || keeper.pid === undefined) return
    process.kill(-keeper.pid, 'SIGKILL')
    await ended
  }
  let stopping: Promise<void> | undefined
  return {
    hasEnded: () => keeper.exitCode !== null || keeper.signalCode !== null || keeper.pid === undefined,
    stop() {
      stopping ??= end()
      return stopping
    },
  }
}

/**
 * A port of the loopback, free a moment ago: listening is tried, because another program on a taken port would answer
 * in place of ours.
 */
export const freePort = async (wanted = 0): Promise<number> => {
  const server = createServer()
  const listening = once(server, 'listening').catch(() => {
    throw new Error(`cannot have port ${wanted}: it is taken`)
  })
  server.listen(wanted, '127.0.0.1')
  await listening
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * The shell waits for the end of its input, a pipe that only the parent holds: however the parent dies, SIGKILL
 * included, the pipe closes and the program is asked to end. A process group of its own spares it the terminal's Ctrl-C
 * until the service has drained.
 */
const KEEPER =
  'exec 3<&0; "$@" </dev/null 3<&- & program=$!; { cat <&3 >/dev/null; kill "$program" 2>/dev/null; } & wait "$program"'
