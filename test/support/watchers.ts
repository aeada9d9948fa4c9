import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { installed, provideAll } from './debian.ts'

/** Debian's Prometheus and Alertmanager, with which the alert rules are tried. */

const PROGRAMS = { prometheus: '/usr/bin/promtool', 'prometheus-alertmanager': '/usr/bin/amtool' } as const
export const PROMETHEUS = '/usr/bin/prometheus'
export const ALERTMANAGER = '/usr/bin/prometheus-alertmanager'

export const haveWatchers = (): boolean =>
  [...Object.values(PROGRAMS), PROMETHEUS, ALERTMANAGER].every((path) => installed(path))

export const provideWatchers = (): void => provideAll(PROGRAMS, 'every test of the alert rules in Prometheus')

const STOP_LIMIT_MS = 10_000

/** A program that runs beside a test; what it says is shown when it ends too early. */
export const startBeside = (program: string, args: readonly string[], cwd: string) => {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)))
  return {
    said: () => said,
    /** Has it read its files again, as both programs do at this signal. */
    reload: () => child.kill('SIGHUP'),
    stop: () => ended(child),
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    child.once('exit', () => {
      clearTimeout(late)
      resolve()
    })
    child.kill('SIGTERM')
  })

export type Alert = {
  readonly status: 'firing' | 'resolved'
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Where Alertmanager tells of alerts: all that came, in their order. */
export const startPager = async () => {
  const alerts: Alert[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      alerts.push(...(JSON.parse(Buffer.concat(chunks).toString()) as { alerts: Alert[] }).alerts)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}/alerts`, alerts, stop }
}
