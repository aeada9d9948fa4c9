import postgres from 'postgres'

/** `onnotify` is called with what is told on the channels that a connection listens to; the driver's types lack it. */
type DriverOptions = postgres.Options<Record<string, never>> & {
  readonly onnotify?: ((channel: string, message: string) => void) | undefined
}

/**
 * The driver on one database. A URL may name the folder of a Unix socket, as libpq has it:
 * `postgres://user@/database?host=/var/run/postgresql`. The driver alone would take that for a setting of the session,
 * which the server refuses.
 */
export const openDriver = (url: string, options: DriverOptions): postgres.Sql => {
  const { address, folder } = socketOf(url)
  if (folder === undefined) return postgres(address, options)
  return postgres(address, { ...options, path: `${folder}/.s.PGSQL.${new URL(address).port || DEFAULT_PORT}` })
}

const DEFAULT_PORT = 5432

/** The URL without the folder of a socket, and that folder; undefined where the URL names none. */
const socketOf = (url: string): { address: string; folder: string | undefined } => {
  if (!URL.canParse(url)) return { address: url, folder: undefined }
  const parsed = new URL(url)
  const folder = parsed.searchParams.get('host')
  if (!folder?.startsWith('/')) return { address: url, folder: undefined }
  parsed.searchParams.delete('host')
  return { address: parsed.href, folder: folder.replace(/\/$/, '') }
}
