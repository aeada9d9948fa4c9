/** Stores for the tests: each in a directory of its own that goes away with its test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type EventStoreDbOptions, eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'

export const newDirectory = (t: ExecutionContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'daybook-log-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const newCore = (t: ExecutionContext, directory = newDirectory(t)): Core => {
  const core = openCore(join(directory, 'log.db'))
  t.teardown(() => core.close())
  return core
}

/** A node that serves the protocol, and the connection string for it. */
export const newNode = async (t: ExecutionContext, address = '127.0.0.1:0') => {
  const core = newCore(t)
  const served = await serveProtocol(core, address)
  t.teardown(() => served.stop())
  return { core, served, url: connectionString(served.address) }
}

export const connectionString = (address: string): string =>
  address.startsWith('unix:') ? address : `esdb://${address}?tls=false`

/** The adapter of production, closed with its test. */
export const newClient = (t: ExecutionContext, url: string, options: EventStoreDbOptions = {}): EventStore => {
  const store = eventStoreDb(url, options)
  t.teardown(() => store.close())
  return store
}
