/**
 * Reads a connection string of EventStoreDB before its client does, which would print it, password and all, when it
 * dislikes an option.
 */

export type ConnectionString = {
  /** The string without its user and password: all that the client is given of it. */
  readonly address: string
  readonly user: { readonly username: string; readonly password: string } | undefined
  readonly insecure: boolean
  /** The hosts where the client looks first, as host:port; for a cluster that is found by its name, that name. */
  readonly hosts: readonly string[]
  /** The file with the authority of the server's certificate, where one is named. */
  readonly authority: string | undefined
}

/**
 * Reads `esdb://…` and `esdb+discover://…`. Throws on anything else, and on what would lose events or time limits in
 * silence; no message repeats more of the string than the name of an option.
 */
export const readConnectionString = (text: string): ConnectionString => {
  const [, scheme, userInfo, hosts, query = ''] = FORM.exec(text.trim()) ?? []
  if (!scheme || !hosts) throw new Error(`the connection string is not ${EXAMPLE}`)
  const options = readOptions(query)
  const insecure = options.get('tls') === 'false'
  const user = readUser(userInfo)
  if (!user && !insecure) throw new Error('the connection string needs user:password@ before its host, or tls=false')
  const patience = options.has(flat('keepAliveTimeout'))
    ? ''
    : `${query ? '&' : '?'}keepAliveTimeout=${KEEP_ALIVE_TIMEOUT_MS}`
  return {
    address: `${scheme}://${hosts}${query}${patience}`,
    user,
    insecure,
    hosts: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`)),
    authority: decoded(options.get(flat('tlsCAFile'))),
  }
}

/** The port at which a server listens unless it is told otherwise. */
const DEFAULT_PORT = 2113

/**
 * Milliseconds; the client's own limit would notice a dead connection only after 20 s, when an append has already been
 * given up.
 */
const KEEP_ALIVE_TIMEOUT_MS = 5_000

const EXAMPLE = 'esdb://user:password@host:2113?option=value with user and password URL-encoded'
const FORM = /^(esdb(?:\+discover)?):\/\/(?:([^/?#@]*)@)?([^/?#@]+)\/*(\?[^?#@]*)?$/

/** The client takes its options in any case and with `_` or `-` between the words. */
const flat = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '')

const KNOWN: ReadonlySet<string> = new Set(
  [
    'tls',
    'tlsVerifyCert',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'nodePreference',
    'maxDiscoverAttempts',
    'discoveryInterval',
    'gossipTimeout',
    'defaultDeadline',
    'throwOnAppendFailure',
    'keepAliveInterval',
    'keepAliveTimeout',
  ].map(flat),
)

const readOptions = (query: string): ReadonlyMap<string, string> => {
  const options = new Map<string, string>()
  for (const pair of query.replace(/^\?/, '').split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=')
    if (!KNOWN.has(flat(name))) throw new Error(`the connection string has an unknown option: ${name}`)
    options.set(flat(name), value.trim())
    refuse(flat(name), value.trim())
  }
  return options
}

const refuse = (option: string, value: string): void => {
  if (option === 'throwonappendfailure' && value !== 'true')
    throw new Error('throwOnAppendFailure=false is not supported: it reports a wrong revision')
  if (option === 'tlsverifycert' && value !== 'true')
    throw new Error('tlsVerifyCert=false is not supported: name the authority of the certificate with tlsCAFile')
  // Turned off, a dead connection is never noticed; and the client makes 1 ms of a timeout that is turned off.
  if (option.startsWith('keepalive') && !(Number(value) > 0))
    throw new Error('keepAliveInterval and keepAliveTimeout need a number of ms above 0')
}

const readUser = (userInfo: string | undefined): ConnectionString['user'] => {
  const [, user, password] = /^([^:]+):(.+)$/.exec(userInfo ?? '') ?? []
  if (!user || !password) return undefined
  return { username: decoded(user) ?? '', password: decoded(password) ?? '' }
}

const decoded = (text: string | undefined): string | undefined => {
  try {
    return text ? decodeURIComponent(text) : undefined
  } catch {
    throw new Error(`the connection string is not ${EXAMPLE}`)
  }
}
