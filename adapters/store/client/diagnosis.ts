/**
 * Finds out why a server cannot be used. The client's own words are those of gRPC, and after a search for a cluster
 * there are none at all; so each host is connected to once more, without gRPC, and the trouble found there is told.
 */
import { readFileSync } from 'node:fs'
import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { status } from '@grpc/grpc-js'
import { readConnectionString } from './connection-string.ts'

/**
 * `denied`: the user may not read the whole log. `unauthenticated`: no such user, or another password. `certificate`:
 * it is not trusted, over, or another host's; `code` is OpenSSL's or Node's name for that. `plain`: no TLS is spoken
 * there. `closed`, `unnamed`, `silent`: nobody listens, no such host, no answer. `unready`: somebody listens, and does
 * not serve yet.
 */
export type StoreTrouble = {
  readonly kind: 'denied' | 'unauthenticated' | 'certificate' | 'plain' | 'closed' | 'unnamed' | 'silent' | 'unready'
  /** The server that it is about, as host:port or the path of a socket. */
  readonly host: string
  readonly code: string
  /** The user of the connection string, who is nobody without TLS. */
  readonly user: string
}

/**
 * Says what is wrong with the server of a connection string, once a call to it has ended with an error. Never rejects.
 */
export const troubleOf = async (connectionString: string, error: unknown): Promise<StoreTrouble> => {
  const { doors, user } = doorsOf(connectionString)
  const [first = { host: connectionString, knock: async () => undefined }] = doors
  const { code } = error as { code?: unknown }
  if (code === status.PERMISSION_DENIED) return { kind: 'denied', host: first.host, code: 'PERMISSION_DENIED', user }
  if (code === status.UNAUTHENTICATED)
    return { kind: 'unauthenticated', host: first.host, code: 'UNAUTHENTICATED', user }
  const found: StoreTrouble[] = []
  for (const { host, knock } of doors) {
    const fault = await knock()
    found.push({
      kind: fault === undefined ? 'unready' : kindOf(fault),
      host,
      code: fault ?? String(code ?? 'UNKNOWN'),
      user,
    })
  }
  // Trouble that waiting cannot end says more than a node of a cluster that is down.
  return (
    found.find(({ kind }) => !mayPass(kind)) ?? found[0] ?? { kind: 'silent', host: first.host, code: 'UNKNOWN', user }
  )
}

/** Whether waiting may help: a server that starts, a name that is about to be known. */
export const mayPass = (kind: StoreTrouble['kind']): boolean =>
  ['closed', 'unnamed', 'silent', 'unready'].includes(kind)

/** A host to connect to. `knock` answers the code of what went wrong; undefined when the connection was made. */
type Door = { readonly host: string; knock(): Promise<string | undefined> }

const doorsOf = (text: string): { readonly doors: readonly Door[]; readonly user: string } => {
  const path = /^unix:(?:\/\/)?(\/.+)$/.exec(text)?.[1]
  if (path !== undefined)
    return { doors: [{ host: path, knock: () => knocked(connect(path), 'connect') }], user: NOBODY }
  const { hosts, insecure, authority, user } = readConnectionString(text)
  const doors = hosts.map((host): Door => {
    const [, name = '', port] = /^\[?(.+?)\]?:(\d+)$/.exec(host) ?? []
    const place = { host: name, port: Number(port) }
    const trusted = authority === undefined ? {} : { ca: readFileSync(authority) }
    const named = isIP(name) ? {} : { servername: name }
    const open = () =>
      insecure
        ? knocked(connect(place), 'connect')
        : knocked(connectTls({ ...place, ...named, ...trusted, ALPNProtocols: ['h2'] }), 'secureConnect')
    return { host, knock: open }
  })
  return { doors, user: insecure ? NOBODY : (user?.username ?? NOBODY) }
}

/** Without TLS the client sends no credentials. */
const NOBODY = 'nobody'
const KNOCK_LIMIT_MS = 3_000

const knocked = (socket: ReturnType<typeof connect>, opened: 'connect' | 'secureConnect') =>
  new Promise<string | undefined>((resolve) => {
    const done = (fault?: string) => {
      socket.destroy()
      resolve(fault)
    }
    socket.setTimeout(KNOCK_LIMIT_MS, () => done('ETIMEDOUT'))
    socket.once(opened, () => done())
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'UNKNOWN'))
  })

const kindOf = (code: string): StoreTrouble['kind'] => {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'closed'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unnamed'
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return 'plain'
  return /CERT|ISSUER|SIGNATURE|ALTNAME|CRL|^HOSTNAME_MISMATCH$/.test(code) ? 'certificate' : 'silent'
}
