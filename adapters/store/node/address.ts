/** Where the node may listen: this machine only. The protocol has no passwords here, so the address is the door. */
import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

/**
 * An address to bind, as gRPC writes it. `host` and `port` are what a client is told; a unix socket has a path instead.
 */
export type BindAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/**
 * Reads `127.0.0.1:2113`, `localhost:2113`, `[::1]:2113` or `unix:/path.sock`; port 0 means any free one. Throws on
 * anything else.
 */
export const parseAddress = (text: string): BindAddress => {
  const path = /^unix:(?:\/\/)?(\/.+)$/.exec(text)?.[1]
  if (path) {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) throw new Error(`the path of the socket is too long: ${path}`)
    return { kind: 'unix', path }
  }
  const [, host = '', port = ''] = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/.exec(text) ?? []
  if (!host || Number(port) > 65_535)
    throw new Error(`the node listens on this machine only (127.0.0.1, localhost, [::1] or unix:/path): ${text}`)
  return { kind: 'tcp', host, port: Number(port) }
}

/**
 * Removes a socket file that a dead process left behind. Throws when somebody still listens on it, or when it is
 * another kind of file.
 */
export const clearSocket = async (path: string): Promise<void> => {
  if (!existsSync(path)) return
  if (!lstatSync(path).isSocket()) throw new Error(`${path} is in the way of the socket`)
  if (await answers(path)) throw new Error(`another process listens on ${path}`)
  unlinkSync(path)
}

/** Leaves the socket to the user who owns it. */
export const protectSocket = (path: string): void => chmodSync(path, 0o600)

/** The room for a path in the kernel's socket address. */
const MAX_SOCKET_PATH_BYTES = 107
const PROBE_TIMEOUT_MS = 1_000

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const done = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => done(true))
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
