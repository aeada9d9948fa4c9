/** The only way out: a connection is opened to addresses that were checked a moment before, and to no other. */
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect as openTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { type Lookup, machineLookup, nameServerLookup } from './lookup.ts'
import { isPublicAddress } from './public-address.ts'

/** The reason why no answer came. The set is closed: it is stored with every delivery and shown to the merchant. */
export type CallFault =
  | 'url-refused'
  | 'address-refused'
  | 'name-not-resolved'
  | 'connect-timeout'
  | 'total-timeout'
  | 'connection-failed'
  | 'tls-failed'

export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly fault: CallFault

  constructor(fault: CallFault, cause?: unknown) {
    super(fault, { cause })
    this.fault = fault
  }
}

export type Route = {
  /** Whether the target is on the allow-list: then its addresses may be private. */
  readonly allowed: boolean
  readonly lookup: Lookup | undefined
  readonly tls: ConnectionOptions | undefined
}

/**
 * Milliseconds from the first look at the name to the end of the TLS handshake (document 3, Limits: 5 seconds to
 * connect).
 */
const CONNECT_TIMEOUT_MS = 5_000
/**
 * Addresses of one name that are tried, and milliseconds for each except the last; together less than the limit above.
 */
const ADDRESSES_TRIED_MAX = 4
const ADDRESS_TIMEOUT_MS = 1_000

/**
 * Connects for undici. The name is resolved once, refused if any of its addresses is not public, and the socket is
 * given just those addresses; so a name that changes its answer in between (rebinding) gains nothing. Fails with
 * CallFailure.
 */
export const guardedConnector =
  (route: Route): buildConnector.connector =>
  (target, callback) => {
    const timer = new AbortController()
    const timeout = setTimeout(() => timer.abort(new CallFailure('connect-timeout')), CONNECT_TIMEOUT_MS)
    connect(route, target, timer.signal)
      .finally(() => clearTimeout(timeout))
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
  }

const connect = async (route: Route, target: buildConnector.Options, limit: AbortSignal): Promise<Socket> => {
  const addresses = await Promise.race([addressesOf(route, target.hostname), aborted(limit)])
  if (!route.allowed && !addresses.every(isPublicAddress)) throw new CallFailure('address-refused')
  return open(target, addresses.slice(0, ADDRESSES_TRIED_MAX), route.tls, limit)
}

/** Rejects with the signal's reason once it aborts; never resolves. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const addressesOf = async (route: Route, hostname: string): Promise<readonly string[]> => {
  if (isIP(hostname)) return [hostname]
  const lookup = route.lookup ?? (route.allowed ? machineLookup : nameServerLookup())
  const addresses = await lookup(hostname).catch((cause) => {
    throw new CallFailure('name-not-resolved', cause)
  })
  if (addresses.length === 0 || !addresses.every((address) => isIP(address))) throw new CallFailure('name-not-resolved')
  return addresses
}

const open = (
  target: buildConnector.Options,
  addresses: readonly string[],
  tls: ConnectionOptions | undefined,
  limit: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secure = target.protocol === 'https:'
    const where = {
      host: target.hostname,
      port: Number(target.port || (secure ? 443 : 80)),
      lookup: pinned(addresses),
      noDelay: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    }
    // An IP address has no place in the TLS server name (RFC 6066 section 3).
    const servername = isIP(target.hostname) ? {} : { servername: target.hostname }
    const socket = secure ? openTls({ ...tls, ...where, ...servername, ALPNProtocols: ['http/1.1'] }) : openTcp(where)
    let reached = false
    socket.once('connect', () => {
      reached = true
    })
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket))
    // The listener stays: an error between the handshake and the moment undici takes the socket over must find one.
    socket.on('error', (cause) =>
      reject(new CallFailure(secure && reached ? 'tls-failed' : 'connection-failed', cause)),
    )
    aborted(limit).catch((reason) => {
      socket.destroy()
      reject(reason)
    })
  })

const pinned = (addresses: readonly string[]): LookupFunction => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const first = answers[0]
    if (options.all || !first) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}
