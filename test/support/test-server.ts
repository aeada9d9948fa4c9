import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { provideStartedDatabase } from './started.ts'

/** Many services of tests share one server. */
const CONNECTIONS = 300

/** A PostgreSQL for tests, with the database that they copy, and a folder; both are gone when `act` is done. */
export const withTestServer = async (
  act: (server: Pick<EmbeddedPostgres, 'url' | 'socketDir'> & { readonly dir: string }) => Promise<void>,
): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-test-'))
  try {
    const server = await startEmbeddedPostgres({ dir, durable: false, connections: CONNECTIONS })
    try {
      await provideStartedDatabase(server.url)
      await act({ url: server.url, socketDir: server.socketDir, dir })
    } finally {
      await server.stop()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
